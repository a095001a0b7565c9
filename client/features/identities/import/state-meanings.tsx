import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import type { StateAnswers } from '../transfer/account-state.ts';
import { type AccountState, bare } from '../transfer/known-words.ts';
import { looksSecret } from './file-password.ts';

/** Asks what words for the state mean that no table knows: until then, nobody with such a word is sent. */
export function StateMeanings(props: {
  unknown: readonly string[];
  answers: StateAnswers;
  onAnswers: (answers: StateAnswers) => void;
}) {
  const [changed, setChanged] = useState(props.answers);
  // By mistake, a column of secrets may have become the state.
  const words = new Set([...props.answers.keys(), ...props.unknown.filter((word) => !looksSecret(word))]);
  if (words.size === 0) return null;
  return (
    <Stack gap="xs" role="group" aria-label="States of accounts">
      <Text size="sm">What do these states of the file mean? Whoever has one without a meaning is skipped.</Text>
      <Group gap="sm" align="flex-end">
        {[...words].map((word) => (
          <NativeSelect
            key={word}
            size="xs"
            label={`“${word}” means`}
            value={changed.get(bare(word)) ?? ''}
            data={[{ value: '', label: 'Skip them', disabled: changed.has(bare(word)) }, 'active', 'inactive']}
            onChange={({ currentTarget }) =>
              setChanged(new Map([...changed, [bare(word), currentTarget.value as AccountState]]))
            }
          />
        ))}
        <Button
          size="xs"
          variant="default"
          disabled={changed === props.answers}
          onClick={() => props.onAnswers(changed)}
        >
          Check again
        </Button>
      </Group>
    </Stack>
  );
}

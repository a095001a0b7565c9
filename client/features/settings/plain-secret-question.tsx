import { Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import type { Setting } from '../../../shared/settings.ts';
import { NO_WAY_BACK } from '../../ui/dialog/way-back.ts';

/** Before what looks like a secret is stored in plain text; in place, since the editor is a dialog already. */
export function PlainSecretQuestion(props: {
  /** The stored one. */
  setting: Setting | undefined;
  onAnswer: (encrypted: boolean) => void;
}) {
  const main = useRef<HTMLButtonElement>(null);
  useEffect(() => main.current?.focus(), []);
  return (
    <Stack gap="xs" role="group" aria-label="Store it encrypted?">
      <Text size="sm">
        This key looks like a secret’s. In plain text, everyone who can read settings sees the value in the list.
        {props.setting?.encrypted === false &&
          ` Encrypting it forgets the plain value and its earlier versions. ${NO_WAY_BACK}`}
      </Text>
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={() => props.onAnswer(false)}>
          Store in plain text
        </Button>
        <Button ref={main} onClick={() => props.onAnswer(true)}>
          Store encrypted
        </Button>
      </Group>
    </Stack>
  );
}

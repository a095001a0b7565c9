import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problems } from './problems.ts';

/**
 * Beside the field also here: a field may be far up, or there may be none for it.
 * @param title what did not happen: `Not created`
 * @param explain says more of a problem than its text
 * @param sendAnyway sends it all the same, for the service decides; undefined where the problems are not for it to judge
 */
export function ProblemSummary(props: {
  title: string;
  problems: Problems;
  nameOf: (pointer: string) => string;
  explain?: (pointer: string, text: string) => ReactNode;
  sendAnyway: (() => void) | undefined;
}) {
  const { problems, explain, sendAnyway } = props;
  const entries = Object.entries(problems);
  if (entries.length === 0) return null;
  return (
    <Alert role="alert" color="red" variant="light" title={props.title}>
      <Stack gap="xs">
        {entries.map(([pointer, text]) => (
          <Text key={pointer} size="sm">
            <strong>{props.nameOf(pointer)}</strong>: {explain?.(pointer, text) ?? text}
          </Text>
        ))}
        {sendAnyway !== undefined && (
          <Group>
            <Button size="xs" variant="default" onClick={sendAnyway}>
              Send anyway
            </Button>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

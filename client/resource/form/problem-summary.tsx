import { Alert, Button, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Problems } from './problems.ts';

/**
 * Lists the problems in addition to those at the fields: a field may be out of view, or there may be none.
 * @param title what was not done: `Not created`
 * @param explain renders more about a problem than its text
 * @param sendAnyway sends it regardless and lets the service decide; undefined when the problems are the service's own
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

import { Button, Code, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Failure } from '../../../ui/feedback/failure-panel.tsx';
import classes from './loaded.module.css';

/** What TanStack Query says of a question, as far as a widget looks at it. */
export interface Question<T> {
  data: T | undefined;
  error: Failure | null;
  isFetching: boolean;
  refetch: () => unknown;
}

/**
 * A widget's content in each of its states. An answer stays when a later question fails: its age says how old it is.
 * The failure is not announced: a page may hold seven widgets that failed together.
 */
export function Loaded<T>({ question, children }: { question: Question<T>; children: (data: T) => ReactNode }) {
  const { data, error, isFetching, refetch } = question;
  if (data !== undefined) return children(data);
  if (error === null) return <PendingWidget />;
  return (
    <div className={classes.failure}>
      <Text size="sm">
        Not known. {error.message}
        {error.hint !== undefined && ` ${error.hint}`}
      </Text>
      {error.requestId !== undefined && (
        <Text size="xs" c="dimmed">
          Request <Code>{error.requestId}</Code>
        </Text>
      )}
      <Button size="compact-xs" variant="default" loading={isFetching} onClick={() => void refetch()}>
        Try again
      </Button>
    </div>
  );
}

export const PendingWidget = () => <Skeleton className={classes.pending} aria-hidden />;

/** In place of a part that nobody knows: its source is not connected or does not answer. */
export function NotKnown({ why }: { why: string }) {
  return (
    <div className={classes.failure}>
      <Text fw={600}>Not known</Text>
      <Text size="sm" c="dimmed">
        {why}
      </Text>
    </div>
  );
}

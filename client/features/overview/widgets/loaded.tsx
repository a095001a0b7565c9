import { Button, Code, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { Failure } from '../../../ui/feedback/failure-panel.tsx';
import classes from './loaded.module.css';

/** The parts of a TanStack query that a widget uses. */
export interface Question<T> {
  data: T | undefined;
  error: Failure | null;
  isFetching: boolean;
  refetch: () => unknown;
}

/**
 * A widget's content in each of its states. Data stays when a later request fails, with its age. Failures are not
 * announced: a page may have seven widgets that fail together.
 */
export function Loaded<T>({ question, children }: { question: Question<T>; children: (data: T) => ReactNode }) {
  const { data, error, isFetching, refetch } = question;
  if (data !== undefined) return children(data);
  if (error === null) return <PendingWidget />;
  return (
    <div className={classes.failure}>
      <Text size="sm">
        Unknown. {error.message}
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

/** Shown in place of data whose source is not connected or does not respond. */
export function NotKnown({ why }: { why: string }) {
  return (
    <div className={classes.failure}>
      <Text fw={600}>Unknown</Text>
      <Text size="sm" c="dimmed">
        {why}
      </Text>
    </div>
  );
}

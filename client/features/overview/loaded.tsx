import { Button, Code, Skeleton, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { Statistics } from '../../../shared/dashboard.ts';
import { statisticsQuery, type ZonedStatistics } from '../../api/overview.ts';
import type { Failure } from '../../ui/failure-panel.tsx';
import classes from './widgets.module.css';

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

const WHY_NOT: Record<keyof Statistics, string> = {
  identities: 'Nothing is counted. The index is off, or the identity service is slow or not connected.',
  sessions: 'Nothing is counted. The index is off, or the identity service is slow or not connected.',
  clients: 'Nothing is counted. The index is off, or the OAuth 2.0 server is slow or not connected.',
};

/** Renders one part of the statistics, which all widgets share, or says that it is unknown. */
export function StatisticsPart<Part extends keyof Statistics>(props: {
  part: Part;
  children: (part: NonNullable<Statistics[Part]>, all: ZonedStatistics) => ReactNode;
}) {
  const question = useQuery(statisticsQuery);
  return (
    <Loaded question={question}>
      {(all) => {
        const part = all[props.part];
        return part === null ? (
          <NotKnown why={WHY_NOT[props.part]} />
        ) : (
          props.children(part as NonNullable<Statistics[Part]>, all)
        );
      }}
    </Loaded>
  );
}

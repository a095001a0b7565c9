import { Anchor, type AnchorProps, Button, Code, Group, Skeleton, Stack, Text } from '@mantine/core';
import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Link, useRouter } from '@tanstack/react-router';
import type { ComponentType, ReactNode } from 'react';
import type { Capability } from '../../../shared/capabilities.ts';
import type { Statistics } from '../../../shared/dashboard.ts';
import { statisticsQuery, type ZonedStatistics } from '../../api/overview.ts';
import { RequestError } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import { formatAmong, formatLatest, formatSample } from '../../lib/format-count.ts';
import type { Failure } from '../../ui/failure-panel.tsx';
import type { GridWidget } from './arrangement.ts';
import classes from './widgets.module.css';

export interface Widget extends GridWidget {
  /** Whether the widget has a chart, which can become a table. */
  chart?: boolean;
  /** The page that the widget summarises. */
  destination?: Destination;
  /** Capability required to see the widget. */
  needs: Capability;
  Body: ComponentType<WidgetBodyProps>;
}

export interface WidgetBodyProps {
  /** The widget's id. */
  id: string;
  /** Displays the numbers as a table instead of a chart. */
  asTable: boolean;
}

/** A page, filtered to the same data as a widget or number. */
export interface Destination {
  to: string;
  search?: Record<string, string>;
  needs: Capability;
}

export const IDENTITIES: Destination = { to: '/identities', needs: 'identities.read' };
export const identitiesWith = (search: Record<string, string>): Destination => ({ ...IDENTITIES, search });
/** Identities created between two local days (`2026-01-31`), both included. */
export const identitiesCreated = (from: string, to: string): Destination =>
  identitiesWith({ created: `${from}..${to}` });
export const SESSIONS: Destination = { to: '/sessions', needs: 'upstreams.read' };
export const ACTIVE_SESSIONS: Destination = { ...SESSIONS, search: { active: 'true' } };
export const LOCKED_ACCOUNTS: Destination = { to: '/security/locked-accounts', needs: 'locks.read' };

/**
 * Links to the page, or renders plain text if the operator may not open it.
 * @param props.label for screen readers if the text alone is unclear; must contain the text
 */
export function DestinationLink({
  destination,
  label,
  children,
  ...anchor
}: AnchorProps & { destination: Destination | undefined; label?: string | undefined; children: ReactNode }) {
  const canOpen = useCanOpen();
  if (destination === undefined || !canOpen(destination)) return children;
  const { to, search } = destination;
  return (
    // Search parameters cannot be typed if the path is only known as a string.
    <Anchor {...anchor} component={Link} to={to} search={search as never} aria-label={label}>
      {children}
    </Anchor>
  );
}

/** Whether the operator may open a page and this app has a route for it. */
export function useCanOpen(): (destination: Destination) => boolean {
  const may = useCan();
  const { routesByPath } = useRouter();
  return ({ to, needs }) => to in routesByPath && may(needs);
}

/**
 * A widget's main number with details.
 * @param props.isLeast whether the number is a lower bound
 * @param props.label the number and what it counts
 */
export function BigNumber(props: {
  value: string;
  isLeast?: boolean;
  destination?: Destination | undefined;
  label: string;
  children?: ReactNode;
}) {
  const { value, isLeast = false, destination, label, children } = props;
  return (
    <Group flex={1} mih={0} gap="0 0.625rem" align="baseline" style={{ alignContent: 'center' }}>
      {isLeast && (
        <Text span size="sm" c="dimmed">
          at least
        </Text>
      )}
      <Text span fz="2rem" lh={1.15} fw={650}>
        <DestinationLink inherit destination={destination} label={label}>
          {value}
        </DestinationLink>
      </Text>
      {children && (
        <Text span size="sm" c="dimmed">
          {children}
        </Text>
      )}
    </Group>
  );
}

/**
 * A widget's content in each of its states. Data stays, with its age, if a later request fails. Failures are not
 * announced, because seven widgets may fail together.
 */
export function WidgetContent<T>(props: {
  query: Pick<UseQueryResult<T, Failure>, 'data' | 'error' | 'isFetching' | 'refetch'>;
  children: (data: T) => ReactNode;
}) {
  const { data, error, isFetching, refetch } = props.query;
  if (data !== undefined) return props.children(data);
  if (error === null) return <PendingWidget />;
  if (error instanceof RequestError && error.code === 'search_not_supported') return <NotKnown why={error.message} />;
  return (
    <Stack gap="0.375rem" align="flex-start" className={classes.scroll}>
      <Text size="sm">
        Unknown. {error.message}
        {error.hint !== undefined && ` ${error.hint}`}
      </Text>
      {error.requestId !== undefined && (
        <Text size="xs" c="dimmed">
          Request <Code>{error.requestId}</Code>
        </Text>
      )}
      <Button size="xs" variant="default" loading={isFetching} onClick={() => void refetch()}>
        Try again
      </Button>
    </Stack>
  );
}

export const PendingWidget = () => <Skeleton flex={1} mih="1.5rem" aria-hidden />;

/** Replaces data whose source is not connected or does not respond. */
export function NotKnown({ why }: { why: string }) {
  return (
    <Stack gap="0.375rem" className={classes.scroll}>
      <Text fw={600}>Unknown</Text>
      <Text size="sm" c="dimmed">
        {why}
      </Text>
    </Stack>
  );
}

const SOURCES: Record<keyof Statistics, string> = {
  identities: 'identity service',
  sessions: 'identity service',
  clients: 'OAuth 2.0 server',
};

/** The data that one part of the statistics covers. */
interface Coverage {
  /** Whether the numbers cover everything. */
  isWhole: boolean;
  /** Prefixes a sentence with the coverage, unless the coverage is complete. */
  among: (sentence: string) => string;
  /** Coverage and age, for a `Note`. */
  note: { of: string; asOf: string; clockAheadMs: number };
}

/** Renders one part of the statistics, which all widgets share, or says that the part is unknown. */
export function StatisticsContent<Part extends keyof Statistics>(props: {
  part: Part;
  children: (part: NonNullable<Statistics[Part]>, coverage: Coverage, all: ZonedStatistics) => ReactNode;
}) {
  const query = useQuery(statisticsQuery);
  return (
    <WidgetContent query={query}>
      {(all) => {
        const part = all[props.part];
        if (part === null)
          return (
            <NotKnown
              why={`Nothing is counted. The index is off, or the ${SOURCES[props.part]} is slow or not connected.`}
            />
          );
        const isWhole = 'complete' in part ? part.complete : !part.truncated;
        const of = 'active' in part ? formatLatest(part.sample, part.truncated) : formatSample(part.sample, isWhole);
        return props.children(
          part as NonNullable<Statistics[Part]>,
          {
            isWhole,
            among: (sentence) => formatAmong(of, isWhole, sentence),
            note: { of, asOf: part.as_of, clockAheadMs: all.clockAheadMs },
          },
          all,
        );
      }}
    </WidgetContent>
  );
}

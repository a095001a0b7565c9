import { ActionIcon, Anchor, type AnchorProps, Group, Skeleton, Stack, Text } from '@mantine/core';
import { type UseQueryResult, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ComponentType, type ReactNode, useEffect, useId, useState } from 'react';
import type { Capability } from '../../../shared/capabilities.ts';
import type { Statistics } from '../../../shared/dashboard.ts';
import { statisticsQuery, type ZonedStatistics } from '../../api/overview.ts';
import { RequestError } from '../../api/request.ts';
import { useCan } from '../../api/session.ts';
import { hasPage } from '../../deployment.ts';
import { formatAmong, formatLatest, formatSample } from '../../lib/format-count.ts';
import { clockTime, exactly } from '../../lib/format-time.ts';
import { createStore } from '../../lib/store.ts';
import { SmallButton } from '../../ui/buttons.tsx';
import { type Failure, FailureText } from '../../ui/failure-panel.tsx';
import { IconRefresh } from '../../ui/shell-icons.tsx';
import type { GridWidget } from './arrangement.ts';
import classes from './widgets.module.css';

export interface Widget extends GridWidget {
  /** Whether the widget has a chart, which can become a table. */
  chart?: boolean;
  destination?: Destination;
  needs: Capability;
  Body: ComponentType<WidgetBodyProps>;
}

export interface WidgetBodyProps {
  id: string;
  asTable: boolean;
  /** How many one-line rows fit. */
  rows: number;
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
export const SESSIONS: Destination = { to: '/sessions', needs: 'sessions.read' };
export const ACTIVE_SESSIONS: Destination = { ...SESSIONS, search: { active: 'true' } };

/**
 * A link to the page, or plain text if the operator may not open it.
 * @param props.label for screen readers, if the text alone is unclear; must contain the text
 */
export function DestinationLink(
  props: AnchorProps & { destination: Destination | undefined; label?: string | undefined; children: ReactNode },
) {
  const { destination, label, children, ...anchor } = props;
  const may = useCan();
  if (destination === undefined || !may(destination.needs) || !hasPage(destination.to)) return children;
  const { to, search } = destination;
  return (
    // Search parameters cannot be typed if the path is only known as a string.
    <Anchor inherit {...anchor} component={Link} to={to} preload="intent" search={search as never} aria-label={label}>
      {children}
    </Anchor>
  );
}

/** A number with a detail beside it. @param props.label the number and what it counts, for screen readers */
export function BigNumber(props: {
  value: string;
  isLeast?: boolean;
  destination?: Destination | undefined;
  label: string;
  children?: ReactNode;
}) {
  const { value, isLeast = false, destination, label, children } = props;
  return (
    <Group gap="0 0.625rem" align="baseline">
      <Text span fz="2rem" lh={1.15} fw={650}>
        <DestinationLink destination={destination} label={label}>
          {value}
        </DestinationLink>
      </Text>
      {(isLeast || children) && (
        <Text span size="sm" c="dimmed">
          {isLeast ? 'or more' : children}
        </Text>
      )}
    </Group>
  );
}

/**
 * The content of a widget in each state, with its caption. If a later request fails, the data stays, with its age.
 * Failures are not announced, because many widgets may fail at once.
 * @param props.asOf when the data was read, if not when the response arrived
 */
export function WidgetContent<T extends object>(props: {
  query: Pick<UseQueryResult<T, Failure>, 'data' | 'dataUpdatedAt' | 'error' | 'isFetching' | 'refetch'>;
  caption?: (data: T) => string | undefined;
  asOf?: (data: T) => string | null | undefined;
  children: (data: T) => ReactNode;
}) {
  const { data, dataUpdatedAt, error, isFetching, refetch } = props.query;
  if (data !== undefined) {
    const { as_of, clockAheadMs = 0 }: { as_of?: string | null; clockAheadMs?: number } = data;
    const asOf = Date.parse(props.asOf?.(data) ?? as_of ?? '') || dataUpdatedAt + clockAheadMs;
    return (
      <>
        {props.children(data)}
        <Caption asOf={asOf}>{props.caption?.(data)}</Caption>
      </>
    );
  }
  if (error === null) return <PendingWidget />;
  if (error instanceof RequestError && error.code === 'search_not_supported') return <NoNumbers why={error.message} />;
  return (
    <Stack gap="0.375rem" align="flex-start" className={classes.scroll}>
      <Text size="sm">Unknown.</Text>
      <FailureText error={error} />
      <SmallButton loading={isFetching} onClick={() => void refetch()}>
        Try again
      </SmallButton>
    </Stack>
  );
}

export const PendingWidget = () => <Skeleton flex={1} mih="1.5rem" aria-hidden />;

/** Replaces numbers that are not available, and says why. */
export function NoNumbers({ why }: { why: string }) {
  return (
    <Stack gap="0.375rem" className={classes.scroll}>
      <Text fw={600}>Unknown</Text>
      <Text size="sm" c="dimmed">
        {why}
      </Text>
    </Stack>
  );
}

type Covered<Part extends keyof Statistics> = NonNullable<ReturnType<typeof covered<Part>>>;

/**
 * One part of the statistics, and what it covers as a caption: `of all 1,202`. `among` prefixes a sentence with the
 * coverage, unless the coverage is complete.
 */
function covered<Part extends keyof Statistics>(all: ZonedStatistics, name: Part) {
  const part = all[name];
  if (part === null) return undefined;
  const isWhole = 'complete' in part ? part.complete : !part.truncated;
  const of = 'active' in part ? formatLatest(part.sample, part.truncated) : formatSample(part.sample, isWhole);
  const { timeZone, isOwnZone } = all;
  return { ...part, isWhole, among: (sentence: string) => formatAmong(of, isWhole, sentence), of, timeZone, isOwnZone };
}

/** Renders one part of the statistics, which all widgets share, or says that it is unknown. */
export function StatisticsContent<Part extends keyof Statistics>(props: {
  part: Part;
  /** The coverage alone by default. */
  caption?: ((part: Covered<Part>) => string) | undefined;
  asOf?: string | undefined;
  children: (part: Covered<Part>) => ReactNode;
}) {
  const { part: name, caption = ({ of }) => of, asOf, children } = props;
  const source = name === 'clients' ? 'OAuth server' : 'identity service';
  const query = useQuery({ ...statisticsQuery, select: (all) => ({ ...all, part: covered(all, name) }) });
  return (
    <WidgetContent query={query} caption={({ part }) => part && caption(part)} asOf={({ part }) => asOf ?? part?.as_of}>
      {({ part }) =>
        part !== undefined ? (
          children(part)
        ) : (
          <NoNumbers why={`There are no numbers: the index is off, or the ${source} is slow or not connected.`} />
        )
      }
    </WidgetContent>
  );
}

/** A widget for one part of the statistics. */
export const statisticsWidget =
  <Part extends keyof Statistics>(
    part: Part,
    widget: {
      caption?: (part: Covered<Part>) => string;
      content: (part: Covered<Part>, asTable: boolean) => ReactNode;
    },
  ) =>
  ({ asTable }: WidgetBodyProps) => (
    <StatisticsContent part={part} caption={widget.caption}>
      {(data) => widget.content(data, asTable)}
    </StatisticsContent>
  );

/** When the data of each widget was read, by the server's clock in milliseconds since the epoch. */
const readings = createStore<ReadonlyMap<string, number>>(new Map());

/** A widget states the age of its data if it is this much older than the newest data on the page. */
const MUCH_OLDER_MS = 5 * 60_000;

const newestOf = (all: ReadonlyMap<string, number>): number => Math.max(...all.values());

/** A line at the bottom of a widget that says what its numbers cover. Their age counts for the page's “As of”. */
export function Caption({ asOf: at, children }: { asOf: number; children: string | undefined }) {
  const id = useId();
  const isMuchOlder = newestOf(readings.use()) - at >= MUCH_OLDER_MS;
  useEffect(() => {
    readings.set(new Map(readings.get()).set(id, at));
    return () => readings.set(new Map([...readings.get()].filter(([other]) => other !== id)));
  }, [id, at]);
  const own = isMuchOlder ? `as of ${clockTime(at, Date.now())}` : undefined;
  const text = [children, own].filter(Boolean).join(', ');
  if (text === '') return null;
  return (
    <Text size="xs" c="dimmed" truncate title={text} data-caption>
      {text}
    </Text>
  );
}

/** The age of the oldest data on the page, without widgets that state their own. */
export function PageAge() {
  const all = readings.use();
  const queryClient = useQueryClient();
  const [refreshing, setRefreshing] = useState(false);
  const newest = newestOf(all);
  const oldest = new Date(Math.min(...[...all.values()].filter((at) => newest - at < MUCH_OLDER_MS)));
  async function refresh(): Promise<void> {
    setRefreshing(true);
    // All data except the session, which is read only on load and near its end.
    await queryClient.refetchQueries({ type: 'active', predicate: ({ queryKey }) => queryKey[0] !== 'session' });
    setRefreshing(false);
  }
  return (
    <Group gap="xs" wrap="nowrap" data-unprinted={all.size === 0 || undefined}>
      {all.size > 0 && (
        <Text span size="sm" c="dimmed" title={exactly(oldest)} data-page-age>
          As of {clockTime(oldest.getTime(), Date.now())}
        </Text>
      )}
      <ActionIcon
        variant="default"
        size="sm"
        aria-label="Refresh"
        title="Refresh"
        loading={refreshing}
        onClick={() => void refresh()}
      >
        <IconRefresh />
      </ActionIcon>
    </Group>
  );
}

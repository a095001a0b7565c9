import { Text } from '@mantine/core';
import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type AuditRecord, type AuditSubject, CHANGE_ACTIONS } from '../../shared/audit.ts';
import { timeOf } from '../../shared/json.ts';
import { isOperatorId } from '../../shared/security.ts';
import { historyQuery } from '../api/audit.ts';
import { RequestError } from '../api/request.ts';
import { useCan, useOperator } from '../api/session.ts';
import { outcomeOf } from '../audit/proxied-act.ts';
import { Reason, useSentences } from '../audit/record-list.tsx';
import { useNameOf } from '../audit/record-names.tsx';
import { formatRecord, type RecordedAct, thingOf } from '../audit/record-sentence.ts';
import { dayOf as nameOfDay, timeAgo } from '../lib/format-time.ts';
import { exactTime } from '../ui/facts.tsx';
import { useNow } from '../ui/hooks.tsx';
import { TextLink } from '../ui/layout.tsx';
import type { TimelineKind } from './timeline-kinds.ts';

/** An event in the timeline of a record. */
export interface TimelineLine {
  /** Unique within its timeline. */
  id: string;
  /** ISO 8601; lines without a time come last. */
  at: string;
  kind: TimelineKind;
  /** A sentence with links. */
  text: ReactNode;
  detail?: ReactNode;
  /** A valid IP address, whose location is added once loaded. */
  address?: string | undefined;
  /** An action, such as undo. */
  action?: ReactNode;
}

export interface TimelineSource {
  /** In a sentence: "the audit trail". */
  name: string;
  kinds: readonly TimelineKind[];
  lines: readonly TimelineLine[];
  /** Undefined for events from the record itself. */
  pagedQuery?: PagedQuery<unknown>;
}

type LoadedPart = Pick<TimelineSource, 'lines'> & { pagedQuery?: Pick<PagedQuery<unknown>, 'loadedTo'> };

export const EVERYTHING = Number.NEGATIVE_INFINITY;
export const NOTHING = Number.POSITIVE_INFINITY;

/** The time back to which all sources have been read. */
export const loadedToOf = (parts: readonly LoadedPart[]): number =>
  parts.reduce((latest, { pagedQuery }) => Math.max(latest, pagedQuery?.loadedTo ?? EVERYTHING), EVERYTHING);

/**
 * Merges the lines of all sources, newest first, back to the time that all of them have reached. Loading more therefore
 * only appends lines. That exact time is excluded, since a source may have more lines of the same time.
 */
export function mergedLines(parts: readonly LoadedPart[]): TimelineLine[] {
  const loadedTo = loadedToOf(parts);
  return parts
    .flatMap(({ lines }) => lines)
    .filter(({ at }) => loadedTo === EVERYTHING || timeAt(at) > loadedTo)
    .sort((one, other) => compare(timeAt(other.at), timeAt(one.at)));
}

/** Go programs send the year 1 for an unset time. */
function timeAt(at: string): number {
  const time = timeOf(at);
  return time > 0 ? time : EVERYTHING;
}

const compare = (one: number, other: number): number => (one === other ? 0 : one - other);

/** Groups lines, newest first, by day in the operator's time zone. @param now milliseconds since the epoch */
export function byDay(lines: readonly TimelineLine[], now: number) {
  const days: { name: string; lines: TimelineLine[] }[] = [];
  for (const line of lines) {
    const name = dayOf(line.at, now);
    const day = days.at(-1);
    if (day?.name === name) day.lines.push(line);
    else days.push({ name, lines: [line] });
  }
  return days;
}

const DAY_MS = 86_400_000;

function dayOf(at: string, now: number): string {
  if (timeAt(at) === EVERYTHING) return 'Time unknown';
  const date = dateOf(at);
  if (date === dateOf(new Date(now).toISOString())) return `Today, ${date}`;
  return date === dateOf(new Date(now - DAY_MS).toISOString()) ? `Yesterday, ${date}` : date;
}

const dateOf = (at: string): string => nameOfDay(new Date(at));

/** "09:00:00" in the operator's time zone; empty for an unknown time. */
export const timeOfDay = (at: string): string =>
  timeAt(at) === EVERYTHING ? '' : (/\d\d:\d\d:\d\d/.exec(exactTime(at))?.[0] ?? '');

/** A paged query, with the time back to which it has been read. */
export interface PagedQuery<Page> {
  pages: readonly Page[];
  /**
   * Milliseconds since the epoch: all later rows are loaded. `EVERYTHING` if all rows are, or for a source that failed,
   * is not enabled or has no order; `NOTHING` before the first response.
   */
  loadedTo: number;
  isBusy: boolean;
  hasMore: boolean;
  /** The error of the last attempt. It stays during a retry. */
  error: Error | null;
  loadMore(): Promise<unknown>;
  retry(): Promise<unknown>;
}

/**
 * @param options.enabled false if the source is not needed or not permitted: it then has no pages
 * @param options.staleTime maximum age of a cached response in milliseconds. Zero by default: another tab may just have
 * changed the data
 * @param options.oldest the time of a page's last row (ISO 8601), for pages with the newest rows first
 */
export function usePagedQuery<Page, Key extends QueryKey, Cursor>(
  query: UseInfiniteQueryOptions<Page, Error, InfiniteData<Page>, Key, Cursor>,
  options: { enabled?: boolean; staleTime?: number; oldest?: (page: Page) => string | undefined } = {},
): PagedQuery<Page> {
  const { enabled = true, staleTime = 0, oldest } = options;
  const { data, error, isFetching, hasNextPage, fetchNextPage, isFetchNextPageError, refetch, errorUpdateCount } =
    useInfiniteQuery({ ...query, enabled, staleTime });
  const hasFailed = data === undefined && errorUpdateCount > 0;
  const failure = enabled ? (error ?? (hasFailed ? new Error('Trying again…') : null)) : null;
  const last = data?.pages.at(-1);
  // A failed source does not block the others.
  const isPartial = last !== undefined && hasNextPage && failure === null;
  return {
    pages: data?.pages ?? [],
    loadedTo:
      enabled && data === undefined && !hasFailed ? NOTHING : (isPartial && timeOf(oldest?.(last))) || EVERYTHING,
    isBusy: isFetching,
    hasMore: hasNextPage,
    error: failure,
    loadMore: () => fetchNextPage(),
    // A rejected cursor would be rejected again: start over with new ones.
    retry: () => (isFetchNextPageError && !isRefusedCursor(error) ? fetchNextPage() : refetch()),
  };
}

const isRefusedCursor = (error: Error | null): boolean =>
  error instanceof RequestError && error.code === 'invalid_page_token';

export const rowsOf = <Row,>({ pages }: PagedQuery<{ rows: readonly Row[] }>): Row[] =>
  pages.flatMap(({ rows }) => rows);

/**
 * Audit records about a record.
 * @param actionOf the action for an audit record, such as undo
 */
export function useTrailSource(
  subject: AuditSubject,
  actionOf?: (record: AuditRecord, records: readonly AuditRecord[]) => ReactNode,
): TimelineSource {
  const pagedQuery = usePagedQuery(historyQuery(subject), {
    enabled: useCan()(subject.startsWith('identity:') ? 'timeline.read' : 'audit.read'),
    oldest: ({ rows }) => rows.at(-1)?.timestamp,
  });
  const records = rowsOf(pagedQuery);
  return {
    name: 'the audit trail',
    kinds: ['trail', 'sessions', 'consents'],
    pagedQuery,
    lines: useTrailLines(records, kindOfRecord, actionOf && ((record) => actionOf(record, records))),
  };
}

export function useTrailLines(
  records: readonly AuditRecord[],
  kindOf: (record: AuditRecord) => TimelineKind,
  actionOf?: (record: AuditRecord) => ReactNode,
): TimelineLine[] {
  const sentenceOf = useSentences(records);
  return records.map((record) => ({
    id: `record:${record.sequence}`,
    at: record.timestamp,
    kind: kindOf(record),
    text: (
      <>
        {sentenceOf(record)}
        <Reason record={record} />
      </>
    ),
    detail: <RecordLink record={record} />,
    action: actionOf?.(record),
  }));
}

/** Ending an identity's sessions is a session event, and revoking consents a consent event. */
function kindOfRecord({ action, target }: AuditRecord): TimelineKind {
  const ended = action === 'proxy_write' ? /\/sessions(?:\/(?:consent|login))?\/?$/.exec(target ?? '') : null;
  if (ended === null) return 'trail';
  return ended[0].includes('consent') ? 'consents' : 'sessions';
}

/** Links to a single audit record by time: the trail has no filter by number. */
function RecordLink({ record: { sequence, timestamp, action } }: { record: AuditRecord }): ReactNode {
  const next = new Date(Date.parse(timestamp) + 1).toISOString();
  if (!useCan()('audit.read')) return `Record ${sequence}`;
  return (
    <TextLink inherit to="/security/audit" search={{ action, from: timestamp, to: next } as never}>
      Record {sequence}
    </TextLink>
  );
}

const RECENT_MS = 600_000;

/** From the subject's history, if the page has read it: reads nothing by itself. */
export function ChangedByOther({ subject }: { subject: AuditSubject }) {
  const { data } = useInfiniteQuery({ ...historyQuery(subject), enabled: false });
  return <LatestByOther records={data?.pages.flatMap(({ rows }) => rows) ?? []} />;
}

/**
 * "kwame@example.org changed email 3 minutes ago": the latest change by another operator in the last ten minutes.
 * @param props.records of one subject, newest first
 */
export function LatestByOther({ records }: { records: readonly (RecordedAct & Pick<AuditRecord, 'timestamp'>)[] }) {
  const { identityId } = useOperator();
  const now = useNow();
  const latest = records.find(
    ({ action, actor, details, timestamp }) =>
      isOperatorId(actor) &&
      actor !== identityId &&
      CHANGE_ACTIONS.includes(action) &&
      outcomeOf({ details }) === undefined &&
      now - timeOf(timestamp) < RECENT_MS,
  );
  // With all records, as the timeline does, so that both share one request.
  const nameOf = useNameOf(latest === undefined ? [] : records);
  if (latest === undefined) return null;
  const subject = thingOf(latest.subject ?? '');
  const words = formatRecord(latest, identityId, (one) => (one.id === subject?.id ? `this ${one.kind}` : nameOf(one)));
  return (
    <Text span size="sm" c="dimmed" data-changed-by-other>
      <bdi>{words.replace(/ (?:of|for|on) this (?:identity|client)\b/, '')}</bdi>{' '}
      {timeAgo(new Date(latest.timestamp), now)}
    </Text>
  );
}

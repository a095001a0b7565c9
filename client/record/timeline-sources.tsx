import { Anchor } from '@mantine/core';
import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { AuditRecord, AuditSubject } from '../../shared/audit.ts';
import { timeOf } from '../../shared/json.ts';
import { historyQuery } from '../api/audit.ts';
import type { CursorPage } from '../api/cursor-page.ts';
import { RequestError } from '../api/request.ts';
import { useCan } from '../api/session.ts';
import { useSentences } from '../audit/record-list.tsx';
import { dayOf as nameOfDay } from '../lib/format-time.ts';
import type { TimelineKind } from '../list/resource.ts';
import { exactTime } from '../ui/facts.tsx';

/** Something that happened to a record. */
export interface TimelineLine {
  /** Unique within its timeline. */
  id: string;
  /** ISO 8601; a line of an unknown time comes last. */
  at: string;
  kind: TimelineKind;
  /** A sentence with links to what it is about. */
  text: ReactNode;
  detail?: ReactNode;
  /** A valid IP address, where it happened: its location is added once it is loaded. */
  address?: string | undefined;
  /** What can be done about it, such as undoing it. */
  action?: ReactNode;
}

/** The lines of one source, as far back as it has been read. */
export interface ReadPart {
  lines: readonly TimelineLine[];
  /**
   * Milliseconds since the epoch: all lines after it are there. `EVERYTHING` once there is nothing more to read, `NOTHING`
   * before the first response.
   */
  readTo: number;
}

/** Where lines come from. */
export interface TimelineSource extends ReadPart {
  /** In a sentence: "the audit trail". */
  name: string;
  /** What its lines may be about. */
  kinds: readonly TimelineKind[];
  /** Undefined for what the record itself says. */
  reading?: Reading<unknown>;
}

export const EVERYTHING = Number.NEGATIVE_INFINITY;
export const NOTHING = Number.POSITIVE_INFINITY;

/** How far back all parts have been read. */
export const readToOf = (parts: readonly ReadPart[]): number =>
  parts.reduce((latest, { readTo }) => Math.max(latest, readTo), EVERYTHING);

/**
 * The lines of all parts, newest first, as far back as every one of them has been read: reading on only appends. A part
 * may have another line of the very time it was read to, so that time itself is left out.
 */
export function mergedLines(parts: readonly ReadPart[]): TimelineLine[] {
  const readTo = readToOf(parts);
  return parts
    .flatMap(({ lines }) => lines)
    .filter(({ at }) => readTo === EVERYTHING || timeAt(at) > readTo)
    .sort((one, other) => compare(timeAt(other.at), timeAt(one.at)));
}

/** Go programs send the year 1 for no time. */
function timeAt(at: string): number {
  const time = timeOf(at);
  return time > 0 ? time : EVERYTHING;
}

const compare = (one: number, other: number): number => (one === other ? 0 : one - other);

interface TimelineDay {
  /** "31 Jan 2026", or words for no day. */
  name: string;
  lines: readonly TimelineLine[];
}

/** Groups lines that come newest first, in the time zone in which times are shown. @param now milliseconds */
export function byDay(lines: readonly TimelineLine[], now: number): TimelineDay[] {
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

/** "09:00:00", in the operator's time zone, without its name; nothing for an unknown time. */
export const timeOfDay = (at: string): string =>
  timeAt(at) === EVERYTHING ? '' : (/\d\d:\d\d:\d\d/.exec(exactTime(at))?.[0] ?? '');

/** A query of pages, and what to do about it. */
export interface Reading<Page> {
  pages: readonly Page[];
  /** Nothing has arrived yet, and nothing has failed. */
  isFirst: boolean;
  isBusy: boolean;
  hasMore: boolean;
  /** Of the last attempt, also while another one is under way. */
  error: Error | null;
  readOn(): Promise<unknown>;
  retry(): Promise<unknown>;
}

type PagesQuery<Page, Key extends QueryKey, Cursor> = UseInfiniteQueryOptions<
  Page,
  Error,
  InfiniteData<Page>,
  Key,
  Cursor
>;

/**
 * @param enabled false for a source that there is no need, or no permission, to read: it has no pages
 * @param staleTime how old a response may be; whoever comes from another tab may have just done what is to be shown
 */
export function useReading<Page, Key extends QueryKey, Cursor>(
  query: PagesQuery<Page, Key, Cursor>,
  enabled = true,
  staleTime = 0,
): Reading<Page> {
  const { data, error, isFetching, hasNextPage, fetchNextPage, isFetchNextPageError, refetch, errorUpdateCount } =
    useInfiniteQuery({
      ...query,
      enabled,
      staleTime,
    });
  const hasFailed = data === undefined && errorUpdateCount > 0;
  return {
    pages: data?.pages ?? [],
    isFirst: enabled && data === undefined && !hasFailed,
    isBusy: isFetching,
    hasMore: hasNextPage,
    error: enabled ? (error ?? (hasFailed ? new Error('Reading it again.') : null)) : null,
    readOn: () => fetchNextPage(),
    // A refused cursor stays refused: only new ones help.
    retry: () => (isFetchNextPageError && !isRefusedCursor(error) ? fetchNextPage() : refetch()),
  };
}

const isRefusedCursor = (error: Error | null): boolean =>
  error instanceof RequestError && error.code === 'invalid_page_token';

/**
 * How far back a source with pages from new to old has been read. One that failed does not hold up the others.
 * @param oldest the time of a page's last row, ISO 8601
 */
export function readBackTo<Page>(reading: Reading<Page>, oldest: (page: Page) => string | undefined): number {
  const last = reading.pages.at(-1);
  if (reading.isFirst) return NOTHING;
  if (last === undefined || !reading.hasMore || reading.error !== null) return EVERYTHING;
  return timeOf(oldest(last)) || EVERYTHING;
}

/** The same for a source with a single page, in any order. */
export const readWhole = ({ isFirst }: Reading<unknown>): number => (isFirst ? NOTHING : EVERYTHING);

export function rowsOf<Row>({ pages }: Reading<CursorPage<Row>>): Row[] {
  return pages.flatMap(({ rows }) => rows);
}

/**
 * What the audit trail says about a record.
 * @param actionOf what can be done about one of its records
 */
export function useTrailSource(
  subject: AuditSubject,
  actionOf?: (record: AuditRecord, records: readonly AuditRecord[]) => ReactNode,
): TimelineSource {
  const reading = useReading(historyQuery(subject), useCan()('audit.read'));
  const records = rowsOf(reading);
  return {
    name: 'the audit trail',
    kinds: ['trail', 'sessions', 'consents'],
    reading,
    lines: useTrailLines(records, kindOfRecord, actionOf && ((record) => actionOf(record, records))),
    readTo: readBackTo(reading, ({ rows }) => rows.at(-1)?.timestamp),
  };
}

/** Records as lines. */
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
    text: sentenceOf(record),
    detail: <RecordLink record={record} />,
    action: actionOf?.(record),
  }));
}

/** Ending the sessions of a person is about sessions, and revoking consents about these. */
function kindOfRecord({ action, target }: AuditRecord): TimelineKind {
  const ended = action === 'proxy_write' ? /\/sessions(?:\/(?:consent|login))?\/?$/.exec(target ?? '') : null;
  if (ended === null) return 'trail';
  return ended[0].includes('consent') ? 'consents' : 'sessions';
}

/** Leads to the record itself: the trail takes times, not numbers. */
function RecordLink({ record: { sequence, timestamp, action } }: { record: AuditRecord }): ReactNode {
  const next = new Date(Date.parse(timestamp) + 1).toISOString();
  return (
    <Anchor
      inherit
      renderRoot={(props) => (
        <Link {...props} to="/security/audit" search={{ action, from: timestamp, to: next } as never} preload={false} />
      )}
    >
      Record {sequence}
    </Anchor>
  );
}

/** The link beside the timeline. */
export const TrailLink = ({ subject }: { subject: AuditSubject }) => (
  <Anchor component={Link} size="sm" to="/security/audit" search={{ subject } as never} preload={false}>
    Open in the audit trail
  </Anchor>
);

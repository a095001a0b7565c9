import {
  type InfiniteData,
  type QueryKey,
  type UseInfiniteQueryOptions,
  useInfiniteQuery,
} from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { timeOf } from '../../shared/json.ts';
import type { CursorPage } from '../api/cursor-page.ts';
import { RequestError } from '../api/request.ts';
import { dayOf as nameOfDay } from '../lib/format-time.ts';
import type { TimelineKind } from '../list/resource.ts';
import { exactTime } from '../ui/facts.tsx';

/** Something that happened. */
export interface TimelineLine {
  /** Unique within its timeline. */
  id: string;
  /** ISO 8601; a line of an unknown time comes last. */
  at: string;
  kind: TimelineKind;
  /** A sentence with links to what it is about. */
  text: ReactNode;
  detail?: ReactNode;
  /** A valid IP address, where it happened: its place is added once it is known. */
  address?: string | undefined;
  /** What can be done about it, such as taking it back. */
  action?: ReactNode;
}

/** The lines of one source, as far as it has been read. */
export interface ReadPart {
  lines: readonly TimelineLine[];
  /**
   * Milliseconds since the epoch: all lines after it are there. `EVERYTHING` once there is nothing more to read, `NOTHING`
   * before the first answer.
   */
  readTo: number;
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
    .filter(({ at }) => readTo === EVERYTHING || knownTime(at) > readTo)
    .sort((one, other) => compare(knownTime(other.at), knownTime(one.at)));
}

/** Go programs send the year 1 for no time. */
function knownTime(at: string): number {
  const time = timeOf(at);
  return time > 0 ? time : EVERYTHING;
}

const compare = (one: number, other: number): number => (one === other ? 0 : one - other);

/** The lines of one day. */
export interface TimelineDay {
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
  if (knownTime(at) === EVERYTHING) return 'Time unknown';
  const date = dateOf(at);
  if (date === dateOf(new Date(now).toISOString())) return `Today, ${date}`;
  return date === dateOf(new Date(now - DAY_MS).toISOString()) ? `Yesterday, ${date}` : date;
}

const dateOf = (at: string): string => nameOfDay(new Date(at));

/** "09:00:00", in the operator's time zone, without its name; nothing for an unknown time. */
export const timeOfDay = (at: string): string =>
  knownTime(at) === EVERYTHING ? '' : (/\d\d:\d\d:\d\d/.exec(exactTime(at))?.[0] ?? '');

/** One source of a timeline, read page by page. */
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
 * @param enabled false for a source that there is no need, or no permission, to ask: it has no pages
 * @param staleTime how old an answer may be; whoever comes from another tab may have just done what is to be shown
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
    error: enabled ? (error ?? (hasFailed ? new Error('It is being read again.') : null)) : null,
    readOn: () => fetchNextPage(),
    // A refused cursor stays refused: only new ones help.
    retry: () => (isFetchNextPageError && !isRefusedCursor(error) ? fetchNextPage() : refetch()),
  };
}

const isRefusedCursor = (error: Error | null): boolean =>
  error instanceof RequestError && error.code === 'invalid_page_token';

/**
 * How far back a source with pages from new to old has been read. One that failed holds up no other: it is named instead.
 * @param oldest the time of a page's last row, ISO 8601
 */
export function readBackTo<Page>(reading: Reading<Page>, oldest: (page: Page) => string | undefined): number {
  const last = reading.pages.at(-1);
  if (reading.isFirst) return NOTHING;
  if (last === undefined || !reading.hasMore || reading.error !== null) return EVERYTHING;
  return timeOf(oldest(last)) || EVERYTHING;
}

/** The same for a source that is asked once, whatever the order of its answer. */
export const readWhole = ({ isFirst }: Reading<unknown>): number => (isFirst ? NOTHING : EVERYTHING);

export const rowsOf = <Row>({ pages }: Reading<CursorPage<Row>>): Row[] => pages.flatMap(({ rows }) => rows);

import { Button } from '@mantine/core';
import { type QueryKey, useQuery } from '@tanstack/react-query';
import { type MouseEvent, useState } from 'react';
import { RequestError } from '../api/request.ts';
import { useSessionEnded } from '../lib/sign-in.ts';
import { type CursorList, type PageParams, useList } from './cursor-list.ts';
import classes from './list.module.css';

/**
 * "3 new messages" above the rows of a list, over the gap there, so that nothing moves. The rows change when it is
 * pressed, not before.
 */
export function NewerRowsButton<T, Params extends PageParams>({ query }: { query: NewerRowsQuery<T, Params> }) {
  const list = useList<T, Params>();
  const { count, isLeast } = useNewerRows(list, query);
  // Pressed by keyboard it stays until the focus leaves it.
  const [stays, setStays] = useState(false);
  const show = ({ detail, currentTarget }: MouseEvent<HTMLButtonElement>): void => {
    if (detail === 0) setStays(true);
    else currentTarget.blur();
    list.reload();
  };
  return (
    <div className={classes.place} role="status" data-newer-rows>
      {(count > 0 || stays) && (
        <Button size="compact-sm" className={classes.button} onClick={show} onBlur={() => setStays(false)}>
          {count > 0 ? formatNewer(count, isLeast, query) : list.fetching ? 'Loading…' : 'Up to date'}
        </Button>
      )}
    </div>
  );
}

/** What tells a row of a list that is newest first from those that came before and after it. */
export interface RowMark {
  id: string;
  /** Milliseconds since the epoch, or whatever else grows from row to row. */
  at: number;
}

/** The first rows of a list as they are now. */
export interface FirstRows {
  marks: readonly RowMark[];
  /** The list has more than these. */
  more: boolean;
}

/**
 * How many rows came since a list was read.
 * @param read the first page on screen @param now what the same list begins with now
 * @returns `isLeast`: all first rows are new, and there is more
 */
export function newerRows(read: readonly RowMark[], now: FirstRows): { count: number; isLeast: boolean } {
  const known = new Set(read.map(({ id }) => id));
  const newest = read[0]?.at ?? Number.NEGATIVE_INFINITY;
  // A row that follows one that was deleted is unknown, too, but older.
  const end = now.marks.findIndex(({ id, at }) => known.has(id) || at < newest);
  return end === -1 ? { count: now.marks.length, isLeast: now.more } : { count: end, isLeast: false };
}

/** "3 new messages", "50+ new messages" */
export const formatNewer = (count: number, isLeast: boolean, { one, many }: { one: string; many: string }): string =>
  `${count}${isLeast ? '+' : ''} new ${count === 1 && !isLeast ? one : many}`;

const EVERY_MS = 30_000;
/** After failures, the pause grows at most this many times. */
const RARER_MAX = 16;

const NOTHING: FirstRows = { marks: [], more: false };

/** How a list that is newest first looks for rows that came since it was read. */
export interface NewerRowsQuery<T, Params> {
  /** Of the list, in singular and plural: they stand after "3 new". */
  one: string;
  many: string;
  markOf: (row: T) => RowMark;
  /** The first few rows with the same filters, in one small request that leaves no audit record. */
  readFirst: (params: Params, signal: AbortSignal) => Promise<FirstRows>;
  /** False for a search that leaves an audit record each time. */
  isFree?: (params: Params) => boolean;
}

/**
 * How many rows came since a list was read. Looks for them while its first page is on screen in a visible tab, never after the
 * session has ended. Its failures are not shown: the list shows its own.
 */
function useNewerRows<T, Params extends PageParams>(
  list: CursorList<T, Params>,
  { many, markOf, readFirst, isFree = () => true }: NewerRowsQuery<T, Params>,
): { count: number; isLeast: boolean } {
  const { loaded } = list;
  const hasEnded = useSessionEnded();
  const isFirstPage = loaded?.pages.length === 0 && !list.pending && isFree(loaded.params);
  const read = isFirstPage ? loaded.page.rows.map(markOf) : [];
  const queryKey: QueryKey = ['newer-rows', many, loaded?.params];
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => (loaded === undefined ? NOTHING : readFirst(loaded.params, signal)),
    enabled: isFirstPage && !hasEnded,
    initialData: { ...NOTHING, marks: read },
    initialDataUpdatedAt: list.readAt,
    staleTime: EVERY_MS,
    refetchInterval: everyHalfMinute,
    refetchOnWindowFocus: true,
    retry: false,
  });
  return isFirstPage ? newerRows(read, data) : { count: 0, isLeast: false };
}

function everyHalfMinute({ state }: { state: { error: Error | null; errorUpdateCount: number } }): number | false {
  const { error, errorUpdateCount } = state;
  if (error === null) return EVERY_MS;
  if (error instanceof RequestError && [401, 403].includes(error.status)) return false;
  return EVERY_MS * Math.min(2 ** errorUpdateCount, RARER_MAX);
}

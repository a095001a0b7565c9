import { Button } from '@mantine/core';
import { type QueryClient, type QueryKey, useQuery, useQueryClient } from '@tanstack/react-query';
import { type MouseEvent, useState } from 'react';
import { RequestError } from '../api/request.ts';
import { useSessionEnded } from '../lib/sign-in.ts';
import { type CursorList, useList } from './cursor-list.ts';
import classes from './list.module.css';
import type { PageParams } from './resource.ts';

/** "3 new messages", in the gap above the rows of a list, so that nothing moves. Only a click changes the rows. */
export function NewerRowsButton<T, Params extends PageParams>({ query }: { query: NewerRowsQuery<T, Params> }) {
  const list = useList<T, Params>();
  const { count, isLeast } = useNewerRows(list, query);
  // After a key press, the button stays until it loses focus.
  const [stays, setStays] = useState(false);
  const show = ({ detail, currentTarget }: MouseEvent<HTMLButtonElement>): void => {
    if (detail === 0) setStays(true);
    else currentTarget.blur();
    list.reload();
  };
  return (
    <div className={classes.place} role="status" data-newer-rows>
      {(count > 0 || stays) && (
        <Button size="xs" className={classes.button} onClick={show} onBlur={() => setStays(false)}>
          {count > 0
            ? `${count}${isLeast ? '+' : ''} new ${count === 1 && !isLeast ? query.one : query.many}`
            : list.fetching
              ? 'Loading…'
              : 'Up to date'}
        </Button>
      )}
    </div>
  );
}

/** Identifies a row and its position in a list with the newest rows first. */
export interface RowMark {
  id: string;
  /** Milliseconds since the epoch, or another number that is higher for newer rows. */
  at: number;
}

export interface FirstRows {
  marks: readonly RowMark[];
  more: boolean;
}

/**
 * Number of rows added since a list was loaded.
 * @param read the first page on screen @param now the current first rows
 * @returns `isLeast`: whether there may be more, since all of the first rows are new
 */
export function newerRows(read: readonly RowMark[], now: FirstRows): { count: number; isLeast: boolean } {
  const known = new Set(read.map(({ id }) => id));
  const newest = read[0]?.at ?? Number.NEGATIVE_INFINITY;
  // After a deletion, an older row moves up and is unknown as well, so compare times, too.
  const end = now.marks.findIndex(({ id, at }) => known.has(id) || at < newest);
  return end === -1 ? { count: now.marks.length, isLeast: now.more } : { count: end, isLeast: false };
}

const EVERY_MS = 30_000;
/** After failures, the interval grows by at most this factor. */
const BACKOFF_MAX = 16;

const NOTHING: FirstRows = { marks: [], more: false };

/** How to look for newer rows in a list with the newest rows first. */
export interface NewerRowsQuery<T, Params> {
  /** Singular and plural after "3 new". */
  one: string;
  many: string;
  markOf: (row: T) => RowMark;
  /** The first few rows with the same filters, in a small request without an audit record. */
  readFirst: (params: Params, signal: AbortSignal, client: QueryClient) => Promise<FirstRows>;
  /** False for searches that leave audit records. */
  isFree?: (params: Params, client: QueryClient) => boolean;
}

/**
 * Number of rows added since a list was loaded. Polls while the first page is on screen in a visible tab and the
 * session lasts. Ignores failures, since the list reports its own.
 */
function useNewerRows<T, Params extends PageParams>(
  list: CursorList<T, Params>,
  { many, markOf, readFirst, isFree = () => true }: NewerRowsQuery<T, Params>,
): { count: number; isLeast: boolean } {
  const { loaded } = list;
  const hasEnded = useSessionEnded();
  const client = useQueryClient();
  const isFirstPage = loaded?.pages.length === 0 && !list.pending && isFree(loaded.params, client);
  const read = isFirstPage ? loaded.page.rows.map(markOf) : [];
  const queryKey: QueryKey = ['newer-rows', many, loaded?.params];
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => (loaded === undefined ? NOTHING : readFirst(loaded.params, signal, client)),
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
  return EVERY_MS * Math.min(2 ** errorUpdateCount, BACKOFF_MAX);
}

import { type QueryKey, useQuery } from '@tanstack/react-query';
import { RequestError } from '../../api/request-error.ts';
import { useSessionEnded } from '../../session/session-end.ts';
import type { PageParams } from '../list/shown-page.ts';
import type { CursorList } from '../list/use-cursor-list.ts';
import { type FirstRows, newerRows, type RowMark } from './newer-rows.ts';

const EVERY_MS = 30_000;
/** A question that fails is asked at most this many times as rarely. */
const RARER_MAX = 16;

const NOTHING: FirstRows = { marks: [], more: false };

/** How a list that is newest first is asked for what came since it was read. */
export interface NewerQuestion<T, Params> {
  /** Of the list, in singular and plural: they stand after "3 new". */
  one: string;
  many: string;
  markOf: (row: T) => RowMark;
  /** The first few rows with the same filters, in one small request that leaves no audit record. */
  ask: (params: Params, signal: AbortSignal) => Promise<FirstRows>;
}

/**
 * How many rows came since a list was read. Asks while its first page is on screen in a visible tab, never after the
 * session has ended. A failure is not shown: the list shows its own.
 */
export function useNewerRows<T, Params extends PageParams>(
  list: CursorList<T, Params>,
  { many, markOf, ask }: NewerQuestion<T, Params>,
): { count: number; isLeast: boolean } {
  const { shown } = list;
  const hasEnded = useSessionEnded();
  const isFirstPage = shown?.pages.length === 0 && !list.pending;
  const read = isFirstPage ? shown.page.rows.map(markOf) : [];
  const queryKey: QueryKey = ['newer-rows', many, shown?.params];
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => (shown === undefined ? NOTHING : ask(shown.params, signal)),
    enabled: isFirstPage && !hasEnded,
    // What was read answers the first question.
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

import { infiniteQueryOptions, type QueryKey } from '@tanstack/react-query';
import { isObject, type JsonObject } from '../../shared/json.ts';
import { exactBody } from '../lib/json.ts';
import {
  type QueryParameters,
  RequestError,
  send,
  type UpstreamService,
  unreadableResponse,
  withQuery,
} from './request.ts';

/** What the search index knows about all rows that match a search. */
export interface Matches {
  /** Null if there are too many matches to count quickly. */
  total: number | null;
  /** Whether the index has read the whole store. */
  complete: boolean;
  /** How many rows the index has read, if it reports a number. */
  read?: number;
  /** How current the index is; ISO 8601. */
  asOf: string | null;
  /** A sentence about a row that the search may lack although the index is complete. */
  note?: string;
}

export interface CursorPage<T> {
  rows: readonly T[];
  /** Cursor of the next page; undefined on the last page. */
  next: string | undefined;
  matches?: Matches;
  /** The service reads a limited number of rows for a page, so that several empty ones do not end the list. */
  mayBeEmpty?: true;
}

/**
 * Options of an infinite query of cursor pages. Two empty pages in a row are the end of a list. No retries: the service
 * would reject the same cursor again.
 */
export const CURSOR_PAGES = {
  initialPageParam: undefined as string | undefined,
  getNextPageParam: ({ rows, next, mayBeEmpty }: CursorPage<unknown>, pages: readonly CursorPage<unknown>[]) =>
    !mayBeEmpty && rows.length === 0 && pages.at(-2)?.rows.length === 0 ? undefined : next,
  retry: false,
} as const;

/** An infinite query for rows that come in one response. */
export const onePageQuery = <T>(queryKey: QueryKey, read: (signal: AbortSignal) => Promise<readonly T[]>) =>
  infiniteQueryOptions({
    queryKey,
    queryFn: async ({ signal }): Promise<CursorPage<T>> => ({ rows: await read(signal), next: undefined }),
    ...CURSOR_PAGES,
  });

/**
 * A page of a list that an upstream service returns as a JSON array.
 * @param what for error messages: "a list of consents"
 * @throws RequestError `invalid_page_token` for a cursor that is no longer valid
 */
export async function readUpstreamPage<T extends JsonObject>(
  path: string,
  parameters: QueryParameters,
  isRow: (value: JsonObject) => boolean,
  [service, what]: [UpstreamService, what: string],
  signal: AbortSignal | undefined,
): Promise<{ rows: T[]; next: string | undefined }> {
  const response = await send(withQuery(path, parameters), { signal }).catch((error) => {
    throw parameters.page_token === undefined ? error : refusedToken(error);
  });
  const rows = await exactBody(response);
  if (!Array.isArray(rows) || !rows.every((row) => isObject(row) && isRow(row)))
    throw unreadableResponse(service, what);
  return { rows, next: nextToken(response.headers.get('Link') ?? '') };
}

/** The cursor in `Link: <…?page_token=…>; rel="next"` (RFC 8288); host and path are ignored. */
export function nextToken(link: string): string | undefined {
  const target = /<([^<>]*)>\s*;\s*rel="?next\b/.exec(link)?.[1];
  if (target === undefined) return undefined;
  return new URLSearchParams(target.slice(target.indexOf('?') + 1)).get('page_token') ?? undefined;
}

/** For a request with a page token: its 400 means a rejected token, since the same query has returned a page before. */
export const refusedToken = (error: unknown): unknown =>
  error instanceof RequestError && error.status === 400
    ? new RequestError({ ...error, code: 'invalid_page_token', message: error.message, cause: error })
    : error;

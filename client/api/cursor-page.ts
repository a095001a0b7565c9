import { RequestError } from './request-error.ts';

/** One page of a list with cursor pagination. */
export interface CursorPage<T> {
  rows: readonly T[];
  /** Cursor of the next page; undefined on the last page. */
  next: string | undefined;
}

/** The cursor in `Link: <…?page_token=…>; rel="next"` (RFC 8288); host and path are ignored. */
export function nextToken(link: string): string | undefined {
  const target = /<([^<>]*)>\s*;\s*rel="?next\b/.exec(link)?.[1];
  if (target === undefined) return undefined;
  return new URLSearchParams(target.slice(target.indexOf('?') + 1)).get('page_token') ?? undefined;
}

/** A 400 for a list's own query can only mean a rejected page token. */
export const refusedToken = (error: unknown): unknown =>
  error instanceof RequestError && error.status === 400
    ? new RequestError({
        status: 400,
        code: 'invalid_page_token',
        message: error.message,
        requestId: error.requestId,
        cause: error,
      })
    : error;

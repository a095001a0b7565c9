import { RequestError } from './request-error.ts';

/** A page of a list that is walked by cursors, whatever its resource and its service. */
export interface CursorPage<T> {
  rows: readonly T[];
  /** The cursor of the page after this one; undefined on the last. */
  next: string | undefined;
}

/** The cursor in `Link: <…?page_token=…>; rel="next"` (RFC 8288); its host and path do not matter. */
export function nextToken(link: string): string | undefined {
  const target = /<([^<>]*)>\s*;\s*rel="?next\b/.exec(link)?.[1];
  if (target === undefined) return undefined;
  return new URLSearchParams(target.slice(target.indexOf('?') + 1)).get('page_token') ?? undefined;
}

/** Nothing else in a question that the list itself has asked can be refused with 400. */
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

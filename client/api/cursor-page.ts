/** A page of a list that is walked by cursors, whatever its resource and its service. */
export interface CursorPage<T> {
  rows: readonly T[];
  /** The cursor of the page after this one; undefined on the last. */
  next: string | undefined;
}

/** The cursor in `Link: <…?page_token=…>; rel="next"` (RFC 8288); its host and path are of no interest. */
export function nextToken(link: string): string | undefined {
  const target = /<([^>]*)>\s*;\s*rel="?next\b/.exec(link)?.[1];
  if (target === undefined) return undefined;
  return new URLSearchParams(target.slice(target.indexOf('?') + 1)).get('page_token') ?? undefined;
}

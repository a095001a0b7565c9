/** Search parameters of the page. */
export interface LocksSearch {
  /** Part of an identifier. */
  q?: string;
}

export function locksSearch({ q }: Record<string, unknown>): LocksSearch {
  const text = typeof q === 'string' ? q.trim() : '';
  return text === '' ? {} : { q: text };
}

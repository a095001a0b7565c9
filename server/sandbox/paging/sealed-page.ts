import { parseInteger } from '../go/integer.ts';
import { keysetLink } from './keyset-link.ts';
import { PageTokenError, type SealedTokens } from './sealed-token.ts';

/** How one list pages with sealed tokens. */
export interface SealedList {
  path: string;
  defaultSize: number;
  maxSize: number;
  /** The position before the first row. */
  start: string;
  tokens: SealedTokens;
  /** The service's error for a size or token that cannot be used. */
  refused: (problem: string) => Error;
}

export interface SealedPage<Row> {
  rows: Row[];
  headers: { Link: string };
}

/**
 * Reads `page_size` and `page_token`, and takes one row more than asked for to see whether there is a next page.
 * @param rowsBehind at most `limit` rows behind a position
 * @param positionOf where a row stands
 */
export function sealedPage<Row>(
  query: URLSearchParams,
  { path, defaultSize, maxSize, start, tokens, refused }: SealedList,
  rowsBehind: (after: string, limit: number) => Row[],
  positionOf: (row: Row) => string,
): SealedPage<Row> {
  const asked = query.get('page_size') || '0';
  const parsed = parseInteger(asked);
  if ('problem' in parsed) throw refused(parsed.problem);
  const size = parsed.value <= 0 ? defaultSize : Math.min(parsed.value, maxSize);
  const token = query.get('page_token');
  const found = rowsBehind(token ? opened(tokens, token, refused) : start, size + 1);
  const rows = found.slice(0, size);
  const last = found.length > size ? rows.at(-1) : undefined;
  const next = last === undefined ? undefined : tokens.seal(positionOf(last));
  return { rows, headers: { Link: keysetLink(path, query, size, tokens.seal(start), next) } };
}

function opened(tokens: SealedTokens, token: string, refused: SealedList['refused']): string {
  try {
    return tokens.open(token);
  } catch (error) {
    throw error instanceof PageTokenError ? refused(error.message) : error;
  }
}

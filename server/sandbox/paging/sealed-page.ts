import { parseInteger } from '../go/integer.ts';
import { keysetLink } from './keyset-link.ts';
import { PageTokenError, type SealedTokens } from './sealed-token.ts';

/** How a list uses sealed page tokens. */
export interface SealedList {
  path: string;
  defaultSize: number;
  maxSize: number;
  /** The position before the first row. */
  start: string;
  tokens: SealedTokens;
  /** The service's error for an invalid size or token. */
  refused: (problem: string) => Error;
}

export interface SealedPage<Row> {
  rows: Row[];
  headers: { Link: string };
}

/**
 * Parses `page_size` and `page_token`, and reads one row more than requested to find out whether there is a next page.
 * @param rowsBehind at most `limit` rows after a position
 * @param positionOf the position of a row
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

import { attempt, membersOf } from '../../shared/json.ts';

export interface CursorList {
  path: string;
  defaultSize: number;
  maxSize: number;
  /** The position before the first row. */
  start: string;
  /** The service's error for an invalid size or token. */
  refused: (problem: string) => Error;
  /** Convert between positions and page tokens; `decode` returns undefined for an invalid token. */
  encode?: (position: string) => string;
  decode?: (token: string) => string | undefined;
}

/** As long as the service's own tokens, at least. */
const encodeCursor = (position: string): string => Buffer.from(`after ${position.padStart(24)}`).toString('base64url');
const decodeCursor = (token: string): string | undefined =>
  /^after +(.*)$/s.exec(Buffer.from(token, 'base64url').toString())?.[1];

/**
 * One page of a list and its `Link` header: `first`, and `next` if there is one. Other query parameters are kept.
 * Reads one row more than requested to find out whether there is a next page.
 * @param rowsAfter at most `limit` rows after a position
 * @param positionOf the position of a row
 */
export function cursorPage<Row>(
  query: URLSearchParams,
  list: CursorList,
  rowsAfter: (position: string, limit: number) => Row[],
  positionOf: (row: Row) => string,
): { rows: Row[]; link: string } {
  const { path, defaultSize, maxSize, start, refused, encode = encodeCursor, decode = decodeCursor } = list;
  const requested = query.get('page_size') || '0';
  if (!/^[+-]?[0-9]+$/.test(requested)) throw refused(`strconv.Atoi: parsing "${requested}": invalid syntax`);
  const size = Number(requested) > 0 ? Math.min(Number(requested), maxSize) : defaultSize;
  const token = query.get('page_token');
  const after = token ? decode(token) : start;
  if (after === undefined) throw refused('The page token is invalid, do not craft your own page tokens');
  const found = rowsAfter(after, size + 1);
  const rows = found.slice(0, size);
  const last = found.length > size ? rows.at(-1) : undefined;
  const link = (position: string, relation: string) =>
    linkTo(path, query, { page_size: String(size), page_token: encode(position) }, relation);
  const first = link(start, 'first');
  return { rows, link: last === undefined ? first : `${first},${link(positionOf(last), 'next')}` };
}

/** One link of a `Link` header (RFC 8288), its parameters sorted by name. */
function linkTo(path: string, query: URLSearchParams, changed: Record<string, string>, relation: string): string {
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(changed)) parameters.set(name, value);
  parameters.sort();
  return `<${path}?${parameters}>; rel="${relation}"`;
}

/**
 * A page requested by its number, Kratos' older pagination. Parses `page_size` and `page_token`, otherwise `per_page`
 * and `page`. Ignores invalid values; a size below 1 counts as 1.
 */
export function pageRequest(query: URLSearchParams, maxSize: number) {
  const byToken = query.has('page_size') || query.has('page_token');
  const requested = Number.parseInt(query.get(byToken ? 'page_size' : 'per_page') ?? '', 10);
  const size = Number.isNaN(requested) ? 250 : Math.min(Math.max(requested, 1), maxSize);
  const page = byToken ? offsetOf(query.get('page_token') ?? '') / size : Number.parseInt(query.get('page') ?? '', 10);
  return { page: page > 0 ? Math.floor(page) : 0, size };
}

/**
 * `X-Total-Count` and `Link` as Kratos writes them for numbered pages, including its quirks.
 * @param tokens whether links have `page_size` and `page_token` in addition to the numbers
 */
export function pageHeaders(
  path: string,
  query: URLSearchParams,
  { page, size }: ReturnType<typeof pageRequest>,
  total: number,
  tokens: boolean,
): Record<string, string> {
  const link = (relation: string, per: number, number: number) => {
    const pageToken = { page_size: String(per), page_token: tokenOf(number * per) };
    return linkTo(path, query, { page: String(number), per_page: String(per), ...(tokens ? pageToken : {}) }, relation);
  };
  const last = total === 0 ? -1 : Math.ceil(total / size) - 1;
  const first = link('first', size, 0);
  const [next, previous] = [link('next', size, page + 1), link('prev', size, page - 1)];
  let links: string[];
  if (total === 0) links = [first, next, previous];
  else if (total <= size) links = [link('first', total, 0)];
  else if (page >= last) links = [first, link('prev', size, last - 1)];
  else if (page === 0) links = [next, link('last', size, last)];
  else links = [first, next, previous, link('last', size, last)];
  return { 'X-Total-Count': String(total), Link: links.join(',') };
}

const tokenOf = (offset: number): string =>
  Buffer.from(JSON.stringify({ offset: String(offset), v: 2 })).toString('base64url');

const offsetOf = (token: string): number =>
  Number(membersOf(attempt(() => JSON.parse(Buffer.from(token, 'base64url').toString()))).offset ?? 0);

import type { Period, PersonFilter, Sort } from '../../shared/identities.ts';
import { attempt } from '../../shared/json.ts';

/** Absent members do not filter. */
export interface PeopleQuery extends PersonFilter {
  /** When the last session began; `none`: people without a session; `orNone`: includes them. */
  lastSession?: (Period & { orNone?: boolean | undefined }) | 'none' | undefined;
}

export interface Order {
  by: Sort;
  descending: boolean;
}

/** The last row of a page. The next page begins after it, even if rows have been written in the meantime. */
export interface Cursor {
  value: string | number;
  id: string;
}

/** `first` is the person whose identifier is exactly the search text: page one starts with them, later pages omit them. */
export interface PageCursor extends Cursor {
  first?: string | undefined;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isId = (part: unknown): part is string => typeof part === 'string' && UUID.test(part);

/** The `page_token` of the page after this row. */
export const tokenOf = ({ value, id, first }: PageCursor): string =>
  encodeToken([value, id, ...(first === undefined ? [] : [first])]);

/** @returns undefined if it is not one of our tokens */
export function cursorIn(token: string): PageCursor | undefined {
  const [value, id, first, ...rest] = decodeToken(token);
  if (!(typeof value === 'string' || Number.isSafeInteger(value)) || !isId(id) || rest.length > 0) return undefined;
  if (first !== undefined && !isId(first)) return undefined;
  return { value: value as Cursor['value'], id, ...(first !== undefined && { first }) };
}

export const encodeToken = (parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/** The parts of a token; none if it is invalid. Anyone can make up a token, so callers check each part. */
export function decodeToken(token: string): unknown[] {
  const parts: unknown = attempt(() => JSON.parse(Buffer.from(token, 'base64url').toString()));
  return Array.isArray(parts) ? parts : [];
}

/** 16 bytes of a UUID instead of its 36 characters. */
export const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

export const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

export const QUARTER_MS = 900_000;

/**
 * Counts per quarter of an hour since the epoch. Every time zone's offset is a whole number of quarters, so days and
 * hours of any zone can be added up from these.
 */
export type Quarters = { quarter: number; count: number }[];

/** Marks the beginning of each word, so that one or two characters can find the words that begin with them. */
const BEGIN = '\u0002\u0002';

/** The indexed text of a person or client: folded words, which cannot contain `BEGIN`. */
export const documentOf = (words: readonly string[]): string => {
  let document = '';
  for (const word of words) document += BEGIN + word;
  return document;
};

/** The substrings of a matching document; words of fewer than three characters must begin a word. */
export const partsOf = (words: readonly string[]): readonly string[] =>
  words.map((word) => {
    const { length } = [...word];
    return length >= 3 ? word : BEGIN.slice(length - 1) + word;
  });

/** An SQL condition that takes the parts as its values. */
export const contains = (parts: readonly string[], column = 'document'): string =>
  parts.map(() => `instr(${column}, ?) > 0`).join(' and ') || 'true';

export type SqlValue = string | number | Buffer;

/** SQL conditions, all of which must be met, and their values. */
export function sqlConditions() {
  const all: string[] = [];
  const values: SqlValue[] = [];
  return {
    values,
    add(sql: string, ...more: readonly SqlValue[]): void {
      all.push(sql);
      values.push(...more);
    },
    sql: (): string => all.join(' and ') || 'true',
  };
}

/** The maximum in a query: twelve trigrams cover 36 characters. */
const TRIGRAMS = 12;

/**
 * An FTS5 query for documents that may contain these parts: it requires some of their trigrams, in any order. A phrase
 * would be exact, but takes quadratic time for a name that repeats one letter.
 */
export function trigramsOf(parts: readonly string[]): string {
  const each = parts.flatMap((part) => {
    // Code points, as the trigram tokenizer counts.
    const characters = [...part];
    return characters.slice(2).map((last, at) => `${characters[at]}${characters[at + 1]}${last}`);
  });
  const all = [...new Set(each)];
  const most = Math.min(all.length, TRIGRAMS);
  const spread = Array.from({ length: most }, (_, at) => all[Math.round((at * (all.length - 1)) / (most - 1 || 1))]);
  return spread.map((trigram) => `"${trigram?.replaceAll('"', '""')}"`).join(' AND ');
}

type Matches = number | readonly unknown[] | { total: number | null };

/** The result of the first search that finds something, or else of the last. */
export async function firstFound<S, R extends { value: Matches }>(
  [search, ...others]: readonly S[],
  run: (search: S) => Promise<R>,
): Promise<R> {
  const found = await run(search as S);
  const { value } = found;
  const matches = typeof value === 'number' ? value : 'length' in value ? value.length : value.total;
  return matches === 0 && others.length > 0 ? firstFound(others, run) : found;
}

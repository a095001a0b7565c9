import type { Period, PersonQuestion } from '../../shared/identities.ts';

/** 16 bytes of a UUID instead of its 36 characters. */
export const bytesOf = (id: string): Buffer => Buffer.from(id.replaceAll('-', ''), 'hex');

export const uuidOf = (bytes: Buffer): string =>
  bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

export const QUARTER_MS = 900_000;

/**
 * How many fall into which quarter of an hour, counted from the epoch: each zone's offset is a whole number of them, so that
 * days and hours of any zone can be summed up from these.
 */
export type Quarters = { quarter: number; count: number }[];

export type SortedBy = 'created' | 'updated' | 'identifier' | 'last_session';

/** What is asked of the index; absent members do not filter. */
export interface Question extends PersonQuestion {
  /** Of the last session that is known; `none` for people without one, `orNone` for these as well. */
  lastSession?: (Period & { orNone?: boolean | undefined }) | 'none' | undefined;
}

export interface Order {
  by: SortedBy;
  descending: boolean;
}

/** The last row of a page: the next page begins after it, whatever has been written meanwhile. */
export interface Place {
  value: string | number;
  id: string;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const isId = (part: unknown): part is string => typeof part === 'string' && UUID.test(part);

/** Where a page begins: after a row, and without the one that stood first because it was asked for by its whole identifier. */
export interface PageStart extends Place {
  first?: string | undefined;
}

/** The `page_token` of the page after a row. */
export const tokenOf = ({ value, id, first }: PageStart): string =>
  tokenOfParts([value, id, ...(first === undefined ? [] : [first])]);

/** @returns undefined for what is not a token of ours */
export function placeIn(token: string): PageStart | undefined {
  const [value, id, first, ...rest] = partsIn(token);
  if (!(typeof value === 'string' || Number.isSafeInteger(value)) || !isId(id) || rest.length > 0) return undefined;
  if (first !== undefined && !isId(first)) return undefined;
  return { value: value as Place['value'], id, ...(first !== undefined && { first }) };
}

/** A `page_token` that is made of these. */
export const tokenOfParts = (parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/** What a token was made of; anyone may have made it, so that each part has to be checked. None if it is no token. */
export function partsIn(token: string): unknown[] {
  try {
    const parts: unknown = JSON.parse(Buffer.from(token, 'base64url').toString());
    return Array.isArray(parts) ? parts : [];
  } catch {
    return [];
  }
}

/** Marks the beginning of each word: a phrase of one or two characters after it finds words that begin so. */
const BEGIN = '\u0002\u0002';

/** The document of a person or client in the index, of folded words: none can imitate `BEGIN`. */
export const documentOf = (words: readonly string[]): string => {
  let document = '';
  for (const word of words) document += BEGIN + word;
  return document;
};

/**
 * What a document contains if the words of a question are found in it: of each any part, if it has three characters or
 * more, else the beginning of a word.
 */
export const soughtFor = (words: readonly string[]): readonly string[] =>
  words.map((word) => {
    const { length } = [...word];
    return length >= 3 ? word : BEGIN.slice(length - 1) + word;
  });

/** A condition in SQL, with a value for each of them. */
export const isInDocument = (sought: readonly string[], column = 'document'): string =>
  sought.map(() => `instr(${column}, ?) > 0`).join(' and ') || 'true';

/** Of three characters each, they leave out nothing of 36 characters. */
const TRIGRAMS = 12;

/**
 * An FTS5 query for documents that may contain what is sought: they have some of its trigrams, in any order. A phrase would
 * be exact, but the time it takes is the square of the length of a name that is one letter repeated.
 * @param sought as of `soughtFor`; the trigram tokenizer counts code points, too
 */
export function trigramsOf(sought: readonly string[]): string {
  const each = sought.flatMap((one) => {
    const characters = [...one];
    return characters.slice(2).map((last, at) => `${characters[at]}${characters[at + 1]}${last}`);
  });
  const all = [...new Set(each)];
  const most = Math.min(all.length, TRIGRAMS);
  const spread = Array.from({ length: most }, (_, at) => all[Math.round((at * (all.length - 1)) / (most - 1 || 1))]);
  return spread.map((trigram) => `"${trigram?.replaceAll('"', '""')}"`).join(' AND ');
}

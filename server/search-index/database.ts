import type Sqlite from 'better-sqlite3';
import { attempt } from '../../shared/json.ts';

export type IndexDatabase = Sqlite.Database;

export const transaction = <Args extends unknown[], T>(
  database: IndexDatabase,
  write: (...args: Args) => T,
): ((...args: Args) => T) => database.transaction(write);

export const KINDS = ['identities', 'sessions', 'clients'] as const;
export type Kind = (typeof KINDS)[number];

/** The name of a list in logs and metrics, which call identities `people`. */
export const listName = (kind: Kind): string => (kind === 'identities' ? 'people' : kind);

/** Whose data the index contains; a file of another store or deployment is not used. */
export interface Owner {
  /** The addresses of the services from which identities and clients are read. */
  store: string;
  deployment: string;
}

export interface FullSync {
  /** When it began, in milliseconds since the epoch. */
  fullAt: number;
  /** Whether the index had room for the whole list. */
  fits: boolean;
}

/** The syncs by earlier processes, as saved in the file. */
export interface SavedSyncs {
  /** The highest number of a sync. */
  sync: number;
  full: Partial<Record<Kind, FullSync>>;
}

/** Increase with every change of the tables or of `fold`: files of another format are rebuilt. */
export const FORMAT = 6;

/**
 * Times are milliseconds since the epoch, 0 for none. `document` is made by `documentOf`, `pass` is the number of the
 * sync that last saw the row.
 */
const TABLES = `
  create table facts (name text primary key, value text not null) without rowid;
  create table schemas (number integer primary key, id text not null unique);
  create table identities (
    number integer primary key,
    id blob not null unique,
    schema integer not null,
    active integer not null,
    -- 1 with a verified address, 0 with addresses but no verified one, 2 without any.
    verified integer not null,
    created integer not null,
    updated integer not null,
    last_session integer not null default 0,
    identifier text not null,
    role text not null,
    document text not null,
    pass integer not null
  );
  create index identities_created on identities (created, id);
  create index identities_updated on identities (updated, id);
  create index identities_identifier on identities (identifier, id);
  create index identities_last_session on identities (last_session, id);
  create index identities_schema on identities (schema);
  create index identities_state on identities (active) where active = 0;
  create index identities_verified on identities (verified) where verified <> 1;
  create index identities_role on identities (role) where role <> '';
  create virtual table texts using fts5(
    document, content='identities', content_rowid='number', columnsize=0, detail=full,
    tokenize="trigram case_sensitive 1"
  );
  insert into texts (texts, rank) values ('secure-delete', 1);

  create table places (
    number integer primary key,
    label text not null,
    lat real not null,
    lng real not null,
    unique (label, lat, lng)
  );
  create table sessions (
    number integer primary key,
    id blob not null unique,
    identity blob not null,
    active integer not null,
    issued integer not null,
    authenticated integer not null,
    expires integer not null,
    place integer not null,
    device text not null,
    addresses text not null,
    pass integer not null
  );
  create index sessions_identity on sessions (identity, authenticated);
  create index sessions_authenticated on sessions (authenticated, id);

  create table clients (
    id text primary key,
    grants text not null,
    document text not null,
    pass integer not null
  ) without rowid;
`;

/** The index is emptied if the last complete sync of all identities is older than this. */
export const UNCONFIRMED_MS = 24 * 60 * 60_000;

/** Facts about the index, stored in the index. Existing files contain these names, so they must not change. */
export function indexFacts(database: IndexDatabase) {
  const find = database.prepare('select value from facts where name = ?').pluck();
  const save = database.prepare('insert or replace into facts (name, value) values (?, ?)');
  const text = (name: string): string => String(find.get(name) ?? '');

  return {
    owner: (): Owner => ({ store: text('store'), deployment: text('deployment') }),
    savedSyncs(): SavedSyncs {
      const full: SavedSyncs['full'] = {};
      for (const kind of KINDS) {
        const { wholeAt, fits } = JSON.parse(text(`read ${kind}`) || '{}');
        if (wholeAt !== undefined) full[kind] = { fullAt: wholeAt, fits };
      }
      return { sync: Number(text('pass')), full };
    },
    saveSyncNumber: (sync: number) => void save.run('pass', String(sync)),
    saveFullSync: (kind: Kind, { fullAt, fits }: FullSync) =>
      void save.run(`read ${kind}`, JSON.stringify({ wholeAt: fullAt, fits })),
    /** When a sync last confirmed that all identities in the index exist, in milliseconds since the epoch. */
    unconfirmedSince: (): number => Number(text('confirmed')),
    confirm: (at: number) => void save.run('confirmed', String(at)),
    saveOwner({ store, deployment }: Owner) {
      save.run('store', store);
      save.run('deployment', deployment);
    },
  };
}

export function createTables(database: IndexDatabase, owner: Owner, now: number): void {
  database.transaction(() => {
    database.exec(TABLES);
    const facts = indexFacts(database);
    facts.saveOwner(owner);
    facts.confirm(now);
    database.pragma(`user_version = ${FORMAT}`);
  })();
}

/** The share that remains free, since removals need room as well. */
const RESERVE = 0.05;

/** Whether the index has no room for more rows. */
function isFull(database: IndexDatabase): boolean {
  const usedPages = numberOf(database, 'page_count') - numberOf(database, 'freelist_count');
  return usedPages > numberOf(database, 'max_page_count') * (1 - RESERVE);
}

/** A transaction that adds rows. @returns false if the index is full; then some may be missing */
export function addition<Args extends unknown[]>(
  database: IndexDatabase,
  write: (...args: Args) => void,
): (...args: Args) => boolean {
  const add = transaction(database, write);
  return (...args) => {
    if (isFull(database)) return false;
    add(...args);
    return true;
  };
}

/**
 * Removes rows that were last seen by an earlier sync, in batches. `after` is where the previous batch ended, 0 for the
 * first; the result is where this batch ended, undefined if it was the last.
 * @param column what `remove` needs of each row besides its number
 * @param atOnce the most rows that a batch visits and removes
 */
export function removalOfUnseen<Row extends { number: number }>(
  database: IndexDatabase,
  table: 'identities' | 'sessions',
  column: string,
  atOnce: { visited: number; removed: number },
  remove: (rows: readonly Row[]) => void,
) {
  const unseen = database.prepare<[number, number, number], Row>(
    `select number, ${column} from ${table} where number > ? and number <= ? and pass < ? order by number
     limit ${atOnce.removed}`,
  );
  const lastNumber = database.prepare(`select max(number) from ${table}`).pluck();
  return transaction(database, (sync: number, after: number): number | undefined => {
    const end = after + atOnce.visited;
    const gone = unseen.all(after, end, sync);
    remove(gone);
    if (gone.length === atOnce.removed) return gone.at(-1)?.number;
    return end < ((lastNumber.get() as number | null) ?? 0) ? end : undefined;
  });
}

/** Its size in bytes, in memory or on disk. */
export const sizeOf = (database: IndexDatabase): number =>
  numberOf(database, 'page_count') * numberOf(database, 'page_size');

const numberOf = (database: IndexDatabase, pragma: string): number =>
  database.pragma(pragma, { simple: true }) as number;

/** Whether a write failed for lack of room, at the limit of the index or on a full disk. */
export const hasNoRoom = (error: unknown): boolean => /^SQLITE_(?:FULL|IOERR|CANTOPEN)/.test(codeOf(error));

/** Whether the database is damaged or no longer exists. */
export const isLost = (error: unknown): boolean => /^SQLITE_(?:CORRUPT|NOTADB|IOERR|READONLY)/.test(codeOf(error));

export const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '');

/** A search took longer than allowed. */
export class SearchTooLong extends Error {
  // The main thread recognises it by its name.
  override name = 'SearchTooLong';
}

const SEARCH_MS = 2_000;

/** Runs a search whose SQL has the condition `in_time(number)`; nested searches share its limit. @throws SearchTooLong */
export type TimeLimit = <T>(search: () => T) => T;

/** SQLite cannot be interrupted, so the condition reads the clock, once for many visited rows. */
export function timeLimit(database: IndexDatabase, monotonic: () => number, searchMs = SEARCH_MS): TimeLimit {
  let deadline = Number.POSITIVE_INFINITY;
  let rows = 0;
  database.function('in_time', { deterministic: false }, (_number) => {
    rows += 1;
    if (rows % 1_024 === 0 && monotonic() > deadline) throw new SearchTooLong();
    return 1;
  });
  return (search) => {
    if (deadline < Number.POSITIVE_INFINITY) return search();
    deadline = monotonic() + searchMs;
    rows = 0;
    try {
      return search();
    } finally {
      deadline = Number.POSITIVE_INFINITY;
    }
  };
}

/** The last row of a page. The next page begins after it, even if rows have been written in the meantime. */
export interface Cursor {
  value: string | number;
  id: string;
}

/** `first` is the identity whose identifier is exactly the search text: page one starts with it, later ones omit it. */
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

/** The indexed text of an identity or client: folded words, which cannot contain `BEGIN`. */
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

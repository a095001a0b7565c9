import Sqlite from 'better-sqlite3';

export type IndexDatabase = Sqlite.Database;

export const transaction = <Args extends unknown[], T>(
  database: IndexDatabase,
  write: (...args: Args) => T,
): ((...args: Args) => T) => database.transaction(write);

export const KINDS = ['people', 'sessions', 'clients'] as const;
export type Kind = (typeof KINDS)[number];

/** Whose data the index contains; a file of another store or deployment is not used. */
export interface Owner {
  /** The addresses of the services from which people and clients are read. */
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
export const FORMAT = 3;

/**
 * Times are milliseconds since the epoch, 0 for none. `document` is made by `documentOf`, `pass` is the number of the
 * sync that last saw the row.
 */
const TABLES = `
  create table facts (name text primary key, value text not null) without rowid;
  create table schemas (number integer primary key, id text not null unique);
  create table people (
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
  create index people_created on people (created, id);
  create index people_updated on people (updated, id);
  create index people_identifier on people (identifier, id);
  create index people_last_session on people (last_session, id);
  create index people_schema on people (schema);
  create index people_state on people (active) where active = 0;
  create index people_verified on people (verified) where verified <> 1;
  create index people_role on people (role) where role <> '';
  create virtual table texts using fts5(
    document, content='people', content_rowid='number', columnsize=0, detail=full, tokenize="trigram case_sensitive 1"
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
    person blob not null,
    active integer not null,
    issued integer not null,
    authenticated integer not null,
    expires integer not null,
    place integer not null,
    device text not null,
    pass integer not null
  );
  create index sessions_person on sessions (person, authenticated);
  create index sessions_authenticated on sessions (authenticated, id);

  create table clients (
    id text primary key,
    grants text not null,
    document text not null,
    pass integer not null
  ) without rowid;
`;

/** The index is emptied if the last complete sync of all people is older than this. */
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
    /** When a sync last confirmed that all people in the index exist, in milliseconds since the epoch. */
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

/** A file for the index; `cacheBytes` of its pages are kept in memory. */
export interface IndexFile {
  path: string;
  maxBytes: number;
  cacheBytes: number;
}

const PAGE_BYTES = 4096;
/** A process that is being replaced may keep its file open for a moment longer. */
const LOCK_WAIT_MS = 1_000;

export function openInMemory(maxBytes: number, owner: Owner = { store: '', deployment: '' }, now = 0): IndexDatabase {
  const database = new Sqlite(':memory:');
  database.pragma(`page_size = ${PAGE_BYTES}`);
  database.pragma('journal_mode = memory');
  database.pragma('synchronous = off');
  database.pragma('secure_delete = on');
  createTables(database, owner, now);
  return limited(database, maxBytes);
}

/** @returns undefined if the file must be rebuilt: no other process has it open, or it is not a database */
export function openIfUsable(
  file: IndexFile,
  { owner, now, empty }: { owner: Owner; now: number; empty: boolean },
): IndexDatabase | undefined {
  let database: IndexDatabase | undefined;
  let usable = false;
  try {
    database = openLocked(file);
    usable = !empty && isUsable(database, file, owner, now);
    return usable ? database : undefined;
  } catch (error) {
    if (isLost(error)) return undefined;
    throw error;
  } finally {
    if (!usable) database?.close();
  }
}

function isUsable(database: IndexDatabase, { maxBytes }: IndexFile, owner: Owner, now: number): boolean {
  if (database.pragma('user_version', { simple: true }) !== FORMAT || sizeOf(database) > maxBytes) return false;
  const facts = indexFacts(database);
  const { store, deployment } = facts.owner();
  const age = now - facts.unconfirmedSince();
  return store === owner.store && deployment === owner.deployment && age >= 0 && age < UNCONFIRMED_MS;
}

export function openLocked({ path, cacheBytes }: IndexFile): IndexDatabase {
  const database = new Sqlite(path, { fileMustExist: true, timeout: LOCK_WAIT_MS });
  try {
    database.pragma('locking_mode = exclusive');
    database.pragma(`page_size = ${PAGE_BYTES}`);
    // Rolls back a transaction that a killed process left unfinished. A write-ahead log, or a journal that is not
    // truncated, would keep deleted data.
    database.pragma('journal_mode = truncate');
    database.pragma('synchronous = normal');
    database.pragma('secure_delete = on');
    // No personal data in temporary files.
    database.pragma('temp_store = memory');
    database.pragma(`cache_size = -${Math.ceil(cacheBytes / 1024)}`);
    database.exec('begin exclusive; commit');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

export function limited(database: IndexDatabase, maxBytes: number): IndexDatabase {
  database.pragma(`max_page_count = ${Math.max(Math.floor(maxBytes / PAGE_BYTES), 64)}`);
  return database;
}

/** The share that remains free, since removals need room as well. */
const RESERVE = 0.05;

/** Whether the index has no room for more rows. */
function isFull(database: IndexDatabase): boolean {
  const pages = (name: string): number => database.pragma(name, { simple: true }) as number;
  return pages('page_count') - pages('freelist_count') > pages('max_page_count') * (1 - RESERVE);
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
  table: 'people' | 'sessions',
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
  (database.pragma('page_count', { simple: true }) as number) *
  (database.pragma('page_size', { simple: true }) as number);

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

import Sqlite from 'better-sqlite3';
import { APPLICATION_ID, claimFile, indexFacts, type Owner, refusalOf, removeFile, UNCONFIRMED_MS } from './file.ts';

/** A question took longer than it may. */
export class TooLong extends Error {}

export interface TimeLimit {
  /**
   * Asks a question whose SQL has the condition `in_time(number)`.
   * @param until on the clock that `timeLimit` was given
   * @throws TooLong
   */
  within<T>(until: number, ask: () => T): T;
}

/** SQLite cannot be interrupted otherwise: the condition looks at the clock for some of the rows that are visited. */
export function timeLimit(database: IndexDatabase, now: () => number): TimeLimit {
  let deadline = Number.POSITIVE_INFINITY;
  let rows = 0;
  database.function('in_time', { deterministic: false }, (_number) => {
    rows += 1;
    if (rows % 1_024 === 0 && now() > deadline) throw new TooLong();
    return 1;
  });
  return {
    within(until, ask) {
      deadline = until;
      rows = 0;
      try {
        return ask();
      } finally {
        deadline = Number.POSITIVE_INFINITY;
      }
    },
  };
}

/** Raised with any change of the tables: a file of another format is built anew. */
export const FORMAT = 2;

const PAGE_BYTES = 4096;
/** A process that is being replaced may hold its file for a moment more. */
const LOCK_WAIT_MS = 1_000;

/** Times are milliseconds since the epoch, 0 for none. A document is what `documentOf` makes of a person's words. */
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

export type IndexDatabase = Sqlite.Database;

/** Kept for removing, which needs room of its own. */
const RESERVE = 0.05;

/** Whether nothing should be added. */
export function isFull(database: IndexDatabase): boolean {
  const pages = (name: string): number => database.pragma(name, { simple: true }) as number;
  return pages('page_count') - pages('freelist_count') > pages('max_page_count') * (1 - RESERVE);
}

/** Whether a write failed for want of room: on a full disk the index is as full as at its own limit. */
export const hasNoRoom = (error: unknown): boolean => /^SQLITE_(?:FULL|IOERR|CANTOPEN)/.test(codeOf(error));

/** Whether the database is of no use any more: damaged, or taken away. */
export const isLost = (error: unknown): boolean => /^SQLITE_(?:CORRUPT|NOTADB|IOERR|READONLY)/.test(codeOf(error));

const codeOf = (error: unknown): string => String((error as { code?: unknown } | undefined)?.code ?? '');

/**
 * @param maxBytes what it may take
 * @param now milliseconds since the epoch
 */
export function openInMemory(maxBytes: number, owner = NOBODY, now = 0): IndexDatabase {
  const database = new Sqlite(':memory:');
  database.pragma(`page_size = ${PAGE_BYTES}`);
  database.pragma('journal_mode = memory');
  database.pragma('synchronous = off');
  database.pragma('secure_delete = on');
  createTables(database, owner, now);
  return limited(database, maxBytes);
}

const NOBODY: Owner = { store: '', deployment: '' };

/** A file for the index. */
export interface IndexFile {
  path: string;
  maxBytes: number;
  /** Of the file's pages; the rest of it is the disk's. */
  cacheBytes: number;
}

/** The file cannot be used now; the message says why. */
export class FileUnusable extends Error {}

/**
 * Opens the file for this process alone, as it is or built anew: where it is damaged, of another owner or format, larger
 * than it may be, or not confirmed for too long.
 * @param options.database path of the dashboard's own database, if that is a file
 * @param options.now milliseconds since the epoch
 * @param options.anew whatever is in it
 * @throws FileUnusable if the file is not ours, another process holds it, or it cannot be written
 */
export function openInFile(
  file: IndexFile,
  options: { owner: Owner; database: string | undefined; now: number; anew: boolean },
): IndexDatabase {
  const { path, maxBytes } = file;
  const refusal = refusalOf(path, options.database);
  if (refusal !== undefined) throw new FileUnusable(refusal);
  try {
    claimFile(path);
    const found = openIfUsable(file, options);
    if (found !== undefined) return limited(found, maxBytes);
    removeFile(path);
    claimFile(path);
    const database = openLocked(file);
    try {
      // Alone at first: from now on the file is known as ours, whatever ends the process.
      database.pragma(`application_id = ${APPLICATION_ID}`);
      createTables(database, options.owner, options.now);
      return limited(database, maxBytes);
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    const code = codeOf(error);
    throw new FileUnusable(code.startsWith('SQLITE_BUSY') ? 'is held by another process' : `cannot be used: ${code}`);
  }
}

/** @returns undefined if it has to be built anew; then nobody else has it open, or it is no database at all */
function openIfUsable(
  file: IndexFile,
  { owner, now, anew }: { owner: Owner; now: number; anew: boolean },
): IndexDatabase | undefined {
  let database: IndexDatabase | undefined;
  let usable = false;
  try {
    database = openLocked(file);
    usable = !anew && isUsable(database, file, owner, now);
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

function openLocked({ path, cacheBytes }: IndexFile): IndexDatabase {
  const database = new Sqlite(path, { fileMustExist: true, timeout: LOCK_WAIT_MS });
  try {
    database.pragma('locking_mode = exclusive');
    database.pragma(`page_size = ${PAGE_BYTES}`);
    // A journal of its own mode: what a killed process left half-written is undone, and nothing removed stays in it, as
    // it would in a write-ahead log or in a journal that is only marked as done.
    database.pragma('journal_mode = truncate');
    database.pragma('synchronous = normal');
    database.pragma('secure_delete = on');
    // Texts must not get into files that SQLite makes elsewhere.
    database.pragma('temp_store = memory');
    database.pragma(`cache_size = -${Math.ceil(cacheBytes / 1024)}`);
    database.exec('begin exclusive; commit');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function createTables(database: IndexDatabase, owner: Owner, now: number): void {
  database.transaction(() => {
    database.exec(TABLES);
    indexFacts(database).keepOwner(owner, now);
    database.pragma(`user_version = ${FORMAT}`);
  })();
}

function limited(database: IndexDatabase, maxBytes: number): IndexDatabase {
  database.pragma(`max_page_count = ${Math.max(Math.floor(maxBytes / PAGE_BYTES), 64)}`);
  return database;
}

/** What the database takes, in memory or on the disk. */
export const sizeOf = (database: IndexDatabase): number =>
  (database.pragma('page_count', { simple: true }) as number) *
  (database.pragma('page_size', { simple: true }) as number);

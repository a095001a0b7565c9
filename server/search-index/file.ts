import {
  accessSync,
  closeSync,
  constants,
  fchmodSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import Sqlite from 'better-sqlite3';
import { ConfigurationError } from '../config/parse-config.ts';
import type { Database } from '../db/database.ts';
import type { Log } from '../log.ts';
import {
  codeOf,
  createTables,
  FORMAT,
  type IndexDatabase,
  indexFacts,
  isLost,
  type Owner,
  sizeOf,
  UNCONFIRMED_MS,
} from './database.ts';

/** A file for the index; `cacheBytes` of its pages are kept in memory. */
interface IndexFile {
  path: string;
  maxBytes: number;
  cacheBytes: number;
}

const MB = 1024 * 1024;
/** The index may use this share of the memory of the process. */
const SHARE = 1 / 8;
/** The page cache of a file: enough for a full sync, which touches the whole full-text index. */
const CACHE_BYTES = 32 * MB;

export type IndexLocation = ReturnType<typeof indexLocation>;

/**
 * Where the index is kept and how large it may be.
 * @param setting.database path of the dashboard's own database if it is a file, which the index must not use
 * @param setting.port distinguishes replicas on one machine
 * @param setting.memory bytes that the process may use, and megabytes of heap that the thread needs for an empty index
 */
export function indexLocation(setting: {
  where: 'memory' | 'off' | { file: string };
  maxMegabytes: number;
  owner: Owner;
  database: string | undefined;
  port: number;
  memory: { usable: number; indexHeapMegabytes: number };
}) {
  const { where, maxMegabytes, owner, database, port, memory } = setting;
  const maxBytes = maxMegabytes * MB;
  const memoryBytes = Math.min(maxBytes, Math.floor(memory.usable * SHARE));
  const cacheBytes = Math.min(CACHE_BYTES, memoryBytes);
  const file: IndexFile | undefined =
    typeof where === 'string' ? undefined : { path: where.file, maxBytes, cacheBytes };
  // A worker returns counts by time, whose size grows with the index.
  const heapMegabytes = memory.indexHeapMegabytes + Math.ceil((file?.maxBytes ?? memoryBytes) / 8 / MB);
  return { isOff: where === 'off', memoryBytes, file, heapMegabytes, owner, database, port };
}

/** Rows of retired machines are deleted after this time, since other machines cannot check whether the files exist. */
const FORGOTTEN_SECONDS = 365 * 24 * 60 * 60;

/**
 * Called when the service starts: checks the file of the index, and removes files that the process at this port used
 * before, so that an index that was turned off or moved leaves nothing behind.
 * @throws ConfigurationError if the file must not be used
 */
export async function prepareLocation(
  location: IndexLocation,
  context: { database: Database; now: () => number; log: Log },
): Promise<void> {
  const refusal = location.file && refusalOf(location.file.path, location.database);
  if (refusal !== undefined) throw new ConfigurationError([`IDENTITY_INDEX ${refusal}`]);
  await removeFormerFiles(location, context).catch((error) =>
    context.log.warn({ error }, 'earlier files of the index could not be listed'),
  );
}

async function removeFormerFiles(
  location: IndexLocation,
  { database, now, log }: { database: Database; now: () => number; log: Log },
): Promise<void> {
  const { port } = location;
  const path = location.file?.path;
  const used_at = Math.floor(now() / 1000);
  const paths: string[] = await database.transaction(async (trx) => {
    await trx('index_files')
      .where('used_at', '<', used_at - FORGOTTEN_SECONDS)
      .delete();
    if (path !== undefined) await trx('index_files').insert({ path, port, used_at }).onConflict('path').merge();
    return trx('index_files').where({ port }).pluck('path');
  });
  const current = path === undefined ? undefined : fileIdOf(path);
  for (const former of paths) {
    const found = fileIdOf(former);
    if (former === path || found === undefined || found === current) continue;
    try {
      if (isUnused(former, location)) removeFile(former);
    } catch (error) {
      log.warn({ error }, 'an earlier file of the index could not be removed');
    }
  }
}

/** Whether a file is an index of this deployment that no process has open. */
function isUnused(path: string, { database, owner }: IndexLocation): boolean {
  if (refusalOf(path, database) !== undefined) return false;
  const connection = new Sqlite(path, { fileMustExist: true, timeout: 0 });
  try {
    // Fails if a process holds its lock.
    return indexFacts(connection).owner().deployment === owner.deployment;
  } catch (error) {
    return isLost(error);
  } finally {
    connection.close();
  }
}

/**
 * Opens the index in its file, or in memory if the file cannot be used.
 * @param at.empty discard the contents of the file
 * @returns `problem`: why the file cannot be used
 */
export function openIndex(
  location: IndexLocation,
  at: { now: number; empty: boolean },
): { database: IndexDatabase; problem: string | undefined } {
  const { file, memoryBytes, owner } = location;
  const opened = file && openInFile(file, location, at);
  if (typeof opened === 'object') return { database: opened, problem: undefined };
  return { database: openInMemory(memoryBytes, owner, at.now), problem: opened };
}

/**
 * Opens the file for this process alone. It is rebuilt if it is damaged, too large, of another owner or format, or not
 * confirmed for too long.
 * @returns words that follow the name of the file if it is not ours, another process has it open, or it cannot be
 * written
 */
function openInFile(
  file: IndexFile,
  { owner, database: ownDatabase }: IndexLocation,
  { now, empty }: { now: number; empty: boolean },
): IndexDatabase | string | undefined {
  const { path } = file;
  const refusal = refusalOf(path, ownDatabase);
  if (refusal !== undefined) return refusal;
  try {
    claimFile(path);
    try {
      // It is locked even if it will be emptied, since another process may have it open.
      const found = openLocked(file, (database) => !empty && isUsable(database, file, owner, now));
      if (found !== undefined) return found;
    } catch (error) {
      if (!isLost(error)) throw error;
    }
    removeFile(path);
    claimFile(path);
    return openLocked(file, (database) => {
      // Written first, so that the file is recognised as ours even if the process is killed.
      database.pragma(`application_id = ${APPLICATION_ID}`);
      createTables(database, owner, now);
      return true;
    });
  } catch (error) {
    const code = codeOf(error);
    return code.startsWith('SQLITE_BUSY') ? 'is open in another process' : `cannot be used: ${code}`;
  }
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
  limitSize(database, maxBytes);
  return database;
}

function isUsable(database: IndexDatabase, { maxBytes }: IndexFile, owner: Owner, now: number): boolean {
  if (database.pragma('user_version', { simple: true }) !== FORMAT || sizeOf(database) > maxBytes) return false;
  const facts = indexFacts(database);
  const { store, deployment } = facts.owner();
  const age = now - facts.unconfirmedSince();
  return store === owner.store && deployment === owner.deployment && age >= 0 && age < UNCONFIRMED_MS;
}

/** Opens and locks the file. @returns undefined, with the file closed again, if it turns out to be of no `use` */
function openLocked({ path, maxBytes, cacheBytes }: IndexFile, use: (database: IndexDatabase) => boolean) {
  const database = new Sqlite(path, { fileMustExist: true, timeout: LOCK_WAIT_MS });
  let isUsed = false;
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
    isUsed = use(database);
    limitSize(database, maxBytes);
    return isUsed ? database : undefined;
  } finally {
    if (!isUsed) database.close();
  }
}

function limitSize(database: IndexDatabase, maxBytes: number): void {
  database.pragma(`max_page_count = ${Math.max(Math.floor(maxBytes / PAGE_BYTES), 64)}`);
}

/** “IdIx”: marks a file as ours. */
export const APPLICATION_ID = 0x49644978;
/** Its offset in an SQLite file. */
const APPLICATION_ID_AT = 68;
const MODE = 0o600;
/** Suffixes of the files that SQLite may create beside a database. */
const SUFFIXES = ['', '-journal', '-wal', '-shm'];

/**
 * Checks whether a file may contain the index, without changing anything. Must not be called while this process has the
 * file open: closing it again would drop all locks of the process on it.
 * @param path absolute
 * @param database path of the dashboard's own database, if that is a file
 * @returns what is wrong, as words that follow the name of the variable; undefined if nothing is
 */
export function refusalOf(path: string, database: string | undefined): string | undefined {
  try {
    if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
      return 'names a file in a folder that does not exist';
    if (database !== undefined && isDatabase(path, database))
      return 'must not name the database of DATABASE_URL or a file that belongs to it';
    const kind = kindOf(path);
    if (kind !== 'file' && kind !== undefined) return `names ${kind}, not a file`;
    const journal = kindOf(`${path}-journal`);
    if (journal !== 'file' && journal !== undefined)
      return `needs the name with “-journal” for itself, but that is ${journal}`;
    if (kind === undefined) accessSync(dirname(path), constants.W_OK | constants.X_OK);
    else if (!isOurs(path)) return 'names a file that is not an index of the dashboard; nothing in it was changed';
    return undefined;
  } catch {
    return 'names a file that this process may not read and write';
  }
}

function kindOf(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return found && 'file';
  if (found.isSymbolicLink()) return 'a symbolic link';
  return found.isDirectory() ? 'a directory' : 'something else';
}

/** An empty file may become ours. */
function isOurs(path: string): boolean {
  const file = openSync(path, constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const header = Buffer.alloc(APPLICATION_ID_AT + 4);
    const read = readSync(file, header);
    return read === 0 || (read === header.length && header.readUInt32BE(APPLICATION_ID_AT) === APPLICATION_ID);
  } finally {
    closeSync(file);
  }
}

/** Whether index and database would share a file: by name, by links, or because SQLite puts one beside the other. */
function isDatabase(path: string, database: string): boolean {
  const names = (file: string): string[] => SUFFIXES.map((suffix) => file + suffix);
  const theirs = [database, realpathIfAny(database)].flatMap((file) => names(inRealFolder(file)));
  if (names(inRealFolder(path)).some((name) => theirs.includes(name))) return true;
  const own = fileIdOf(path);
  return own !== undefined && theirs.some((name) => fileIdOf(name) === own);
}

const realpathIfAny = (path: string): string => (fileIdOf(path) === undefined ? path : realpathSync(path));

const inRealFolder = (path: string): string => join(realpathIfAny(dirname(resolve(path))), basename(path));

/** The same for two names of one file; undefined if the file does not exist. */
function fileIdOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** Creates the file if it does not exist, readable by its owner alone; SQLite copies the mode to files beside it. */
function claimFile(path: string): void {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, MODE);
  try {
    fchmodSync(file, MODE);
  } finally {
    closeSync(file);
  }
}

function removeFile(path: string): void {
  for (const name of [path, `${path}-journal`]) rmSync(name, { force: true });
}

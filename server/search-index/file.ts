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
import type Sqlite from 'better-sqlite3';

type List = 'people' | 'sessions' | 'clients';

/** What outlasts the process when the index is kept in a file. Times are milliseconds since the epoch. */
export interface KeptReadings {
  /** The number of the last pass. */
  pass: number;
  /** Of each list that was read to its end: when that reading began, and whether the index had room for all of it. */
  readings: Partial<Record<List, { wholeAt: number; fits: boolean }>>;
}

/** Whose people the index holds: of another store or deployment it is built anew. */
export interface Owner {
  /** The addresses that people and clients are read from. */
  store: string;
  deployment: string;
}

/** What is not confirmed for so long is emptied. */
export const UNCONFIRMED_MS = 24 * 60 * 60_000;

/** Facts about the index, stored in itself. */
export interface IndexFacts {
  owner(): Owner;
  keepOwner(owner: Owner, createdAt: number): void;
  /** Since when no whole pass has confirmed the people it holds. */
  unconfirmedSince(): number;
  readings(): KeptReadings;
  keepPass(pass: number): void;
  /** A whole pass has met all the people it holds. */
  confirm(wholeAt: number): void;
  keepReading(of: List, reading: { wholeAt: number; fits: boolean }): void;
}

const LISTS: readonly List[] = ['people', 'sessions', 'clients'];

export function indexFacts(database: Sqlite.Database): IndexFacts {
  const find = database.prepare('select value from facts where name = ?').pluck();
  const keep = database.prepare('insert or replace into facts (name, value) values (?, ?)');
  const text = (name: string): string => String(find.get(name) ?? '');

  return {
    owner: () => ({ store: text('store'), deployment: text('deployment') }),
    keepOwner({ store, deployment }, createdAt) {
      keep.run('store', store);
      keep.run('deployment', deployment);
      keep.run('confirmed', String(createdAt));
    },
    unconfirmedSince: () => Number(text('confirmed')),
    readings: () => ({
      pass: Number(text('pass')),
      readings: Object.fromEntries(
        LISTS.flatMap((list) => {
          const reading = text(`read ${list}`);
          return reading === '' ? [] : [[list, JSON.parse(reading)]];
        }),
      ),
    }),
    keepPass: (pass) => void keep.run('pass', String(pass)),
    keepReading: (of, reading) => void keep.run(`read ${of}`, JSON.stringify(reading)),
    confirm: (wholeAt) => void keep.run('confirmed', String(wholeAt)),
  };
}

/** “IdIx”: says that a file is ours. */
export const APPLICATION_ID = 0x49644978;
/** Where SQLite keeps it in a file. */
const APPLICATION_ID_AT = 68;
const MODE = 0o600;
/** What SQLite may put beside a database. */
const BESIDE = ['', '-journal', '-wal', '-shm'];

/**
 * Looks whether the index may be kept in a file, without changing anything. Not to be called while this process has the
 * file open: closing a file drops all the locks that a process has on it.
 * @param path absolute
 * @param database path of the dashboard's own database, if that is a file
 * @returns what speaks against it, in words that follow the name of the variable; undefined if nothing does
 */
export function refusalOf(path: string, database: string | undefined): string | undefined {
  try {
    if (!statSync(dirname(path), { throwIfNoEntry: false })?.isDirectory())
      return 'names a file in a folder that does not exist';
    if (database !== undefined && isDatabase(path, database))
      return 'must not name the database of DATABASE_URL or a file that belongs to it';
    const kind = kindOf(path);
    if (kind !== 'file' && kind !== undefined) return `names ${kind}, not a file`;
    const beside = kindOf(`${path}-journal`);
    if (beside !== 'file' && beside !== undefined)
      return `needs the name with “-journal” for itself, but that is ${beside}`;
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

/** Whether index and database would share a file, by name, by links, or one as what SQLite puts beside the other. */
function isDatabase(path: string, database: string): boolean {
  const names = (file: string): string[] => BESIDE.map((ending) => file + ending);
  const theirs = [database, realpathIfAny(database)].flatMap((file) => names(inRealFolder(file)));
  if (names(inRealFolder(path)).some((name) => theirs.includes(name))) return true;
  const own = identityOf(path);
  return own !== undefined && theirs.some((name) => identityOf(name) === own);
}

function realpathIfAny(path: string): string {
  return identityOf(path) === undefined ? path : realpathSync(path);
}

function inRealFolder(path: string): string {
  const folder = dirname(resolve(path));
  return join(identityOf(folder) === undefined ? folder : realpathSync(folder), basename(path));
}

/** Tells whether two names are one file; undefined if there is none. */
export function identityOf(path: string): string | undefined {
  const found = statSync(path, { bigint: true, throwIfNoEntry: false });
  return found && `${found.dev}:${found.ino}`;
}

/** Creates the file if there is none, and lets nobody else read it; so does SQLite with what it puts beside it. */
export function claimFile(path: string): void {
  const file = openSync(path, constants.O_RDWR | constants.O_CREAT | constants.O_NOFOLLOW, MODE);
  try {
    fchmodSync(file, MODE);
  } finally {
    closeSync(file);
  }
}

export function removeFile(path: string): void {
  for (const name of [path, `${path}-journal`]) rmSync(name, { force: true });
}

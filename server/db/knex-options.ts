import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import BetterSqlite3Client from 'knex/lib/dialects/better-sqlite3/index.js';
import type { Connection } from 'mysql2';
import type { DatabaseAddress } from './database-address.ts';
import { SqliteConnection } from './sqlite-driver.ts';

/** The part of the log that is used here. */
export interface DatabaseLog {
  warn(fields: object, message: string): void;
}

/** How knex talks to a database: in the service, and on knex' own command line. */
export const knexOptions = (address: DatabaseAddress, log: DatabaseLog): Knex.Config => ({
  // knex would put bound values into error messages, and user and host into its warnings: only its bare word is logged.
  compileSqlOnError: false,
  log: {
    warn: () => log.warn({ part: 'knex' }, 'a database connection failed'),
    error: () => log.warn({ part: 'knex' }, 'error of the database layer'),
    debug: () => {},
    deprecate: () => {},
  },
  ...(address.client === 'sqlite' ? sqliteOptions(resolve(address.path)) : mysqlOptions(address.url)),
});

/** knex would load the driver by its package's name; ours is the release that fits this Node. */
class SqliteClient extends BetterSqlite3Client {
  override _driver(): unknown {
    return SqliteConnection;
  }
}

const sqliteOptions = (file: string): Knex.Config => ({
  client: SqliteClient,
  useNullAsDefault: true,
  // Called when the first query connects; knex looks for the name on the function itself.
  connection: Object.assign(() => createPrivately(file), { filename: file }),
  pool: {
    min: 0,
    max: 1,
    idleTimeoutMillis: 2 ** 31 - 1,
    acquireTimeoutMillis: 15_000,
    // knex waits for the callback: a promise beside it makes newer Nodes warn.
    afterCreate: (connection: Sqlite.Database, done: (error?: unknown) => void) => {
      prepareSqlite(connection).then(() => done(), done);
    },
  },
});

/** For the owner alone; SQLite gives its -wal and -shm files the mode of the main file. */
function createPrivately(file: string): { filename: string } {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  return { filename: file };
}

async function prepareSqlite(connection: Sqlite.Database): Promise<void> {
  connection.pragma('busy_timeout = 5000');
  connection.pragma('foreign_keys = ON');
  // FULL, not NORMAL: an audit record that was acknowledged survives a power cut.
  connection.pragma('synchronous = FULL');
  // SQLite refuses one of two processes that turn a new file to WAL at once, without waiting.
  for (let attempt = 0; connection.pragma('journal_mode', { simple: true }) !== 'wal'; attempt += 1) {
    try {
      connection.pragma('journal_mode = WAL');
    } catch (error) {
      if (!isBusy(error) || attempt > 500) throw error;
      await sleep(10);
    }
  }
}

/** Another connection holds the lock that SQLite needs. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');

/** Of one process to a MySQL server, at most. */
export const CONNECTIONS = 10;
/** How long the server keeps a connection, and the locks of its transaction, of a process that froze or vanished. */
export const SILENT_CLIENT_SECONDS = 10;
/** How long a statement waits for a lock: a request lasts no longer than it takes to say that it cannot be done now. */
export const LOCK_WAIT_SECONDS = 5;
/** Sooner than the server ends them. */
const IDLE_CONNECTION_MS = 4_000;

/** Strict: a value that does not fit is refused instead of cut. */
const MYSQL_SESSION =
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', " +
  `time_zone = '+00:00', innodb_lock_wait_timeout = ${LOCK_WAIT_SECONDS}, ` +
  `wait_timeout = ${SILENT_CLIENT_SECONDS}, net_read_timeout = ${SILENT_CLIENT_SECONDS}`;

/** Every wait has an end: a server that vanished without a word must not hold up requests. */
const mysqlOptions = (url: string): Knex.Config => ({
  client: 'mysql2',
  connection: {
    uri: url,
    charset: 'utf8mb4',
    timezone: 'Z',
    connectTimeout: 3_000,
    // Keys and identifiers are VARBINARY, because MySQL's collations ignore case or trailing blanks; they hold UTF-8.
    typeCast: (field: { type: string; string(encoding?: string): string | null }, next: () => unknown) =>
      field.type === 'VAR_STRING' ? field.string('utf-8') : next(),
  } as Knex.MySql2ConnectionConfig,
  pool: {
    min: 0,
    max: CONNECTIONS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    acquireTimeoutMillis: 4_000,
    createTimeoutMillis: 4_000,
    afterCreate: (connection: Connection, done: (error?: unknown) => void) => {
      const finish = (error: unknown): void => {
        if (error) connection.destroy();
        done(error ?? undefined);
      };
      connection.query(MYSQL_SESSION, (error) => {
        if (error) finish(error);
        // A statement of its own: the variable has other names on MySQL than on MariaDB.
        else connection.query('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED', finish);
      });
    },
  },
});

import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import Client from 'knex/lib/dialects/mysql2/index.js';
import type { Connection } from 'mysql2';
import type { DatabaseAddress, MysqlServer } from './database-address.ts';
import { DatabaseUnavailable } from './errors.ts';

/** The server has no connection left (1040), or none for this user (1203, 1226). */
const NO_ROOM = new Set([1040, 1203, 1226]);
/** On average half of it: a server that many connect to at the same moment may refuse them all. */
const AGAIN_MS = 1_000;
/** How long a pool without any connection tries to get its first. */
const FIRST_MS = 2_500;
const OPEN_TIMEOUT_MS = 4_000;

/**
 * A pool rejects whoever waits for a connection when a further one cannot be opened. While it has connections of its own,
 * waiting for one of these is enough: opening ends when the server has room again, or the pool has had no others for a while.
 */
export class WaitingClient extends Client {
  /** How many have no room at the moment. */
  private refused = 0;
  private closing = new AbortController();

  override async acquireRawConnection(): Promise<Connection> {
    const began = performance.now();
    for (;;) {
      try {
        return await this.openInTime();
      } catch (error) {
        if (!NO_ROOM.has(Number((error as { errno?: unknown }).errno))) throw error;
        await this.roomIsWanted(error, began + FIRST_MS);
      }
    }
  }

  override destroy(callback: unknown): Promise<void> {
    this.closing.abort();
    return super.destroy(callback);
  }

  private async openInTime(): Promise<Connection> {
    const opening: Promise<Connection> = super.acquireRawConnection();
    const connection = await Promise.race([opening, sleep(OPEN_TIMEOUT_MS, undefined, { ref: false })]);
    if (connection !== undefined) return connection;
    opening.then(
      (late) => late.destroy(),
      () => {},
    );
    throw new DatabaseUnavailable('connecting took too long');
  }

  /** @throws `refusal` if there is no other connection to wait for, neither open nor being opened, after `deadline` */
  private async roomIsWanted(refusal: unknown, deadline: number): Promise<void> {
    const { pool, closing } = this;
    this.refused += 1;
    try {
      do {
        if (pool === undefined || !('numUsed' in pool) || closing.signal.aborted) throw refusal;
        const isAlone = pool.numUsed() + pool.numFree() + pool.numPendingCreates() <= this.refused;
        if (isAlone && performance.now() > deadline) throw refusal;
        await sleep(Math.random() * AGAIN_MS, undefined, { ref: false, signal: closing.signal }).catch(() => {});
      } while (pool.numPendingAcquires() === 0);
    } finally {
      this.refused -= 1;
    }
  }
}

/** In any case: a connection that leads to an old server, after the address has moved, ends here. */
export const MAX_AGE_MS = 300_000;

/**
 * The server cannot serve: disk full (1021), no majority in its cluster (1047, and 1180 at COMMIT), shutting down (1053),
 * read-only (1290, 1792, 1836). The numbers are the same on MySQL and MariaDB.
 */
const CANNOT_SERVE = new Set([1021, 1047, 1053, 1180, 1290, 1792, 1836]);

/** How long the connections of a pool may be used. Only one that is idle is closed: no transaction is cut. */
export interface ConnectionLife {
  opened(connection: object): void;
  isNew(connection: object): boolean;
  /** Whether it may be used again. */
  mayServe(connection: object): boolean;
  /** If a server says that it cannot serve, the connections so far have no future: all of them lead to it. */
  failed(error: unknown): void;
}

export interface LifeOptions {
  maxAgeMs?: number;
  /** Milliseconds on a monotonic clock. */
  monotonic?: () => number;
}

export function connectionLife(options: LifeOptions = {}): ConnectionLife {
  const { maxAgeMs = MAX_AGE_MS, monotonic = () => performance.now() } = options;
  const known = new WeakMap<object, { openedAt: number; failures: number }>();
  let failures = 0;
  return {
    opened: (connection) => void known.set(connection, { openedAt: monotonic(), failures }),
    isNew: (connection) => !known.has(connection),
    mayServe(connection) {
      const about = known.get(connection);
      return about?.failures === failures && monotonic() - about.openedAt < maxAgeMs;
    },
    failed(error) {
      if (CANNOT_SERVE.has(Number((error as { errno?: unknown }).errno))) failures += 1;
    },
  };
}

/** How long the server keeps the connection and the locks of a process that froze or vanished. */
export const SILENT_CLIENT_SECONDS = 10;
/** How long a statement waits for a lock, short enough for the request to fail in time. */
export const LOCK_WAIT_SECONDS = 5;
/** By which both sides know text. */
export const TEXT_VARIABLES = ['character_set_client', 'character_set_connection', 'character_set_results'] as const;
export const TEXT = 'utf8mb4';
const STATEMENT_TIMEOUT_MS = 2_000;

/**
 * Strict: a value that does not fit is rejected instead of truncated. Servers and proxies may ignore the character set that
 * the driver names when it connects, so it is set as well.
 */
const SESSION =
  "SET SESSION sql_mode = 'STRICT_ALL_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION', " +
  `time_zone = '+00:00', innodb_lock_wait_timeout = ${LOCK_WAIT_SECONDS}, ` +
  `net_read_timeout = ${SILENT_CLIENT_SECONDS}, ` +
  TEXT_VARIABLES.map((variable) => `${variable} = ${TEXT}`).join(', ');

/** The driver's options, to which only those of a pool are added. */
export const connectionOptions = (server: MysqlServer) => ({
  ...server,
  charset: TEXT,
  timezone: 'Z',
  connectTimeout: 3_000,
  // Keys and identifiers are VARBINARY, because MySQL's collations ignore case or trailing spaces; they contain UTF-8.
  typeCast: (field: { type: string; string(encoding?: string): string | null }, next: () => unknown) =>
    field.type === 'VAR_STRING' ? field.string('utf-8') : next(),
});

/**
 * Sets all that statements rely on, and checks what would corrupt text without an error.
 * @param settings further ones: `wait_timeout = 10`
 */
export async function prepareSession(connection: Connection, settings: readonly string[] = []): Promise<void> {
  const run = (sql: string): Promise<Record<string, unknown>[]> =>
    new Promise((resolve, reject) =>
      connection.query({ sql, timeout: STATEMENT_TIMEOUT_MS }, (error, rows) =>
        error ? reject(error) : resolve(rows as Record<string, unknown>[]),
      ),
    );
  await run([SESSION, ...settings].join());
  // A separate statement, since the variable has different names on MySQL and MariaDB.
  await run('SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED');
  const [found = {}] = await run(`select ${TEXT_VARIABLES.map((variable) => `@@${variable} as ${variable}`).join()}`);
  const wrong = TEXT_VARIABLES.filter((variable) => found[variable] !== TEXT);
  if (wrong.length > 0)
    throw new DatabaseUnavailable(`the server, or a proxy in front of it, does not accept ${TEXT} for ${wrong.join()}`);
}

export type SqliteAddress = Extract<DatabaseAddress, { client: 'sqlite' }>;

export interface DatabaseLog {
  warn(fields: object, message: string): void;
}

export interface MysqlOptions {
  /** Connections to a Galera cluster whose reads see what was committed before on any node. */
  causal?: boolean;
  /** How long connections may be used. */
  life?: ConnectionLife;
}

/**
 * knex' configuration, for the service and for its command line.
 */
export const knexOptions = (address: DatabaseAddress, log: DatabaseLog, options: MysqlOptions = {}): Knex.Config => ({
  // By default knex puts bound values into error messages, and user and host into warnings: only error codes are
  // logged.
  compileSqlOnError: false,
  log: {
    warn: () => log.warn({ part: 'knex' }, 'a database connection failed'),
    error: () => log.warn({ part: 'knex' }, 'knex reported an error'),
    debug: () => {},
    deprecate: () => {},
  },
  ...(address.client === 'sqlite'
    ? sqliteOptions(resolve(address.path), address.readOnly)
    : mysqlOptions(address.server, options)),
});

const sqliteOptions = (file: string, readOnly = false): Knex.Config => ({
  client: 'better-sqlite3',
  useNullAsDefault: true,
  // Called when the first query connects; knex reads the file name from the function itself.
  connection: readOnly
    ? { filename: file, options: { readonly: true } }
    : Object.assign(() => createPrivately(file), { filename: file }),
  pool: {
    min: 0,
    max: 1,
    idleTimeoutMillis: 2 ** 31 - 1,
    acquireTimeoutMillis: 15_000,
    // knex waits for the callback; returning a promise as well makes newer versions of Node warn.
    afterCreate: (connection: Sqlite.Database, done: (error?: unknown) => void) => {
      prepareSqlite(connection, readOnly).then(() => done(), done);
    },
  },
});

/** Accessible to the owner only; SQLite gives its -wal and -shm files the mode of the main file. */
function createPrivately(file: string): { filename: string } {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  closeSync(openSync(file, 'a', 0o600));
  return { filename: file };
}

async function prepareSqlite(connection: Sqlite.Database, readOnly: boolean): Promise<void> {
  connection.pragma('busy_timeout = 5000');
  connection.pragma('foreign_keys = ON');
  // FULL, not NORMAL: an acknowledged audit record survives a power failure.
  connection.pragma('synchronous = FULL');
  if (readOnly) return;
  // If two processes switch a new file to WAL at once, SQLite refuses one of them without waiting.
  for (let attempt = 0; connection.pragma('journal_mode', { simple: true }) !== 'wal'; attempt += 1) {
    try {
      connection.pragma('journal_mode = WAL');
    } catch (error) {
      if (!isBusy(error) || attempt > 500) throw error;
      await sleep(10);
    }
  }
}

/** Whether another connection holds the lock. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');

/** Maximum connections of one process to a MySQL server. */
export const CONNECTIONS = 10;
/** Further ones where the server is part of a Galera cluster. */
const CAUSAL_CONNECTIONS = 6;
/** Shorter than the server's own timeout. */
const IDLE_CONNECTION_MS = 4_000;

const WAIT = `wait_timeout = ${SILENT_CLIENT_SECONDS}`;

/** Every wait is bounded: a server that vanished silently must not hold up requests. */
const mysqlOptions = (server: MysqlServer, { causal = false, life = connectionLife() }: MysqlOptions): Knex.Config => ({
  client: WaitingClient,
  connection: connectionOptions(server) as Knex.MySql2ConnectionConfig,
  pool: {
    min: 0,
    max: causal ? CAUSAL_CONNECTIONS : CONNECTIONS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    acquireTimeoutMillis: 4_000,
    // Opening is timed in its parts, and may wait for the server to have room.
    createTimeoutMillis: 2 ** 31 - 1,
    validate: life.mayServe,
    afterCreate: (connection: Connection, done: (error?: unknown) => void) => {
      prepareSession(connection, causal ? [WAIT, 'wsrep_sync_wait = 1'] : [WAIT]).then(
        () => {
          life.opened(connection);
          done();
        },
        (error) => {
          connection.destroy();
          done(error);
        },
      );
    },
  },
});

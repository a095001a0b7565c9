import { closeSync, mkdirSync, openSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type Sqlite from 'better-sqlite3';
import type { Knex } from 'knex';
import Client from 'knex/lib/dialects/mysql2/index.js';
import { type Connection, format } from 'mysql2';
import type { DatabaseAddress, MysqlServer } from './database-address.ts';
import { DatabaseUnavailable, StatementTooLarge } from './errors.ts';
import {
  type ConnectionLife,
  connectionLife,
  connectionOptions,
  prepareSession,
  SILENT_CLIENT_SECONDS,
} from './mysql-session.ts';

/** The server has no connection left (1040), or none for this user (1203, 1226). */
const NO_ROOM = new Set([1040, 1203, 1226]);
/** The longest pause before another attempt: a random one, so that processes refused together do not retry together. */
const AGAIN_MS = 1_000;
/** How long a pool without any connection tries to get its first. */
const FIRST_MS = 2_500;
const OPEN_TIMEOUT_MS = 4_000;

/**
 * When a pool cannot open another connection, it rejects the callers that wait for one. While it has other connections,
 * waiting for one of those is enough: opening continues until the server has room again, or until the pool has had no
 * other connection for a while.
 */
class WaitingClient extends Client {
  /** How many connections the server is refusing at the moment. */
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

  /** @throws `refusal` after `deadline` if there is no other connection to wait for, neither open nor being opened */
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

export type SqliteAddress = Extract<DatabaseAddress, { client: 'sqlite' }>;

export interface DatabaseLog {
  warn(fields: object, message: string): void;
}

interface MysqlOptions {
  /** For connections to a Galera cluster: reads see everything that was committed before, on any node. */
  causal?: boolean;
  /** How long connections may be used. */
  life?: ConnectionLife;
}

/** knex's configuration, for the service and for knex's command line. */
export const knexOptions = (address: DatabaseAddress, log: DatabaseLog, options: MysqlOptions = {}): Knex.Config => ({
  // By default, knex puts bound values into error messages, and user and host into warnings, so only error codes are
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
  // If two processes switch a new file to WAL at the same time, SQLite refuses one of them without waiting.
  for (let attempt = 0; connection.pragma('journal_mode', { simple: true }) !== 'wal'; attempt += 1) {
    try {
      connection.pragma('journal_mode = WAL');
    } catch (error) {
      if (!isBusy(error) || attempt > 500) throw error;
      await sleep(10);
    }
  }
}

/** Whether another connection has the lock. */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && String((error as { code?: unknown }).code).startsWith('SQLITE_BUSY');

/** The maximum number of connections of one process to a MySQL server. */
export const CONNECTIONS = 10;
/** Additional connections for reads if the server is part of a Galera cluster. */
const CAUSAL_CONNECTIONS = 6;
/** Shorter than the server's own timeout. */
const IDLE_CONNECTION_MS = 4_000;

const WAIT = `wait_timeout = ${SILENT_CLIENT_SECONDS}`;

/** Throws before a statement and its command byte are sent: the server would close the connection, often unexplained. */
function refuseLarge({ config }: Connection, bytes: number): void {
  config.queryFormat = (statement, values) => {
    const sql = format(statement, values, false, config.timezone);
    if (Buffer.byteLength(sql) + 1 < bytes) return sql;
    throw new StatementTooLarge(bytes);
  };
}

/** Every wait has a limit: a server that vanished without notice must not hold up requests. */
const mysqlOptions = (server: MysqlServer, { causal = false, life = connectionLife() }: MysqlOptions): Knex.Config => ({
  client: WaitingClient,
  connection: connectionOptions(server) as Knex.MySql2ConnectionConfig,
  pool: {
    min: 0,
    max: causal ? CAUSAL_CONNECTIONS : CONNECTIONS,
    idleTimeoutMillis: IDLE_CONNECTION_MS,
    acquireTimeoutMillis: 4_000,
    // No limit here: each attempt to connect has its own, and opening may wait until the server has room.
    createTimeoutMillis: 2 ** 31 - 1,
    validate: life.mayServe,
    afterCreate: (connection: Connection, done: (error?: unknown) => void) => {
      prepareSession(connection, causal ? [WAIT, 'wsrep_sync_wait = 1'] : [WAIT]).then(
        (bytes) => {
          refuseLarge(connection, bytes);
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

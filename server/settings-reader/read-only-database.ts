import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import type Sqlite from 'better-sqlite3';
import { createPool, type Pool, type PoolConnection, type PoolOptions } from 'mysql2';
import type { Database, Statement } from '../db/database.ts';
import type { DatabaseAddress, MysqlServer } from '../db/database-address.ts';
import { DatabaseUnavailable } from '../db/errors.ts';
import { connectionLife, connectionOptions, prepareSession } from '../db/mysql-session.ts';

/** What a reader needs from a database. */
interface ReadOnlyDatabase extends Pick<Database, 'statement'> {
  close(): Promise<void>;
}

/** Connects on the first read. */
export const openReadOnly = (address: DatabaseAddress, monotonic?: () => number): ReadOnlyDatabase =>
  address.client === 'sqlite' ? openSqliteFile(resolve(address.path)) : openPool(address.server, monotonic);

const CONNECTIONS = 2;
const WAITING = 1_000;
const QUERY_TIMEOUT_MS = 5_000;
type Rows = Record<string, unknown>[];

function openPool(server: MysqlServer, monotonic?: () => number): ReadOnlyDatabase {
  const pool: Pool = createPool({
    ...(connectionOptions(server) as PoolOptions),
    connectionLimit: CONNECTIONS,
    queueLimit: WAITING,
  });
  const life = connectionLife(monotonic);

  const taken = (): Promise<PoolConnection> =>
    new Promise((accept, reject) =>
      pool.getConnection((error, connection) => (error ? reject(error) : accept(connection))),
    );

  async function connected(): Promise<PoolConnection> {
    for (;;) {
      const connection = await taken();
      if (life.isNew(connection)) await prepared(connection);
      if (life.mayServe(connection)) return connection;
      connection.destroy();
    }
  }

  async function prepared(connection: PoolConnection): Promise<void> {
    try {
      await prepareSession(connection);
      life.opened(connection);
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /** A connection that failed is not used again. */
  async function rows(sql: string, values: readonly (string | number)[]): Promise<Rows> {
    const connection = await connected();
    return new Promise((accept, reject) =>
      connection.query({ sql, values: [...values], timeout: QUERY_TIMEOUT_MS }, (error, found) => {
        if (error) {
          life.failed(error);
          connection.destroy();
          return reject(error);
        }
        connection.release();
        accept(found as Rows);
      }),
    );
  }

  return {
    statement<Row>(sql: string): Statement<Row> {
      const all = async (...values: (string | number)[]): Promise<Row[]> => {
        try {
          return (await rows(sql, values)) as Row[];
        } catch (error) {
          // The server may have closed an idle connection, and the other one may be just as old.
          if (!isLost(error)) throw error;
          return (await rows(sql, values).catch(() => rows(sql, values))) as Row[];
        }
      };
      return { get: async (...values) => (await all(...values))[0], all };
    },
    close: () => new Promise((accept) => pool.end(() => accept())),
  };
}

const isLost = (error: unknown): boolean =>
  ['PROTOCOL_CONNECTION_LOST', 'ECONNRESET', 'EPIPE', 'ER_CLIENT_INTERACTION_TIMEOUT'].includes(
    String((error as { code?: unknown }).code),
  );

function openSqliteFile(path: string): ReadOnlyDatabase {
  let connection: Sqlite.Database | undefined;
  let closed = false;

  function opened(): Sqlite.Database {
    if (closed) throw new DatabaseUnavailable('the reader is closed');
    connection ??= new (sqliteDriver())(path, { readonly: true, fileMustExist: true, timeout: 1_000 });
    return connection;
  }
  return {
    statement<Row>(sql: string): Statement<Row> {
      const prepared = () => opened().prepare<(string | number)[], Row>(sql);
      return {
        get: async (...values) => prepared().get(...values),
        all: async (...values) => prepared().all(...values),
      };
    },
    async close() {
      closed = true;
      connection?.close();
    },
  };
}

/** An optional peer dependency: services that read from MySQL or MariaDB do not need the driver. */
function sqliteDriver(): typeof Sqlite {
  try {
    return createRequire(import.meta.url)('better-sqlite3') as typeof Sqlite;
  } catch (cause) {
    throw new Error('A sqlite: address needs the package better-sqlite3', { cause });
  }
}

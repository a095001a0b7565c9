import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import createKnex, { type Knex } from 'knex';
import { causalReads } from './causal-reads.ts';
import type { Database, Statement } from './database.ts';
import { retryDeadlocks } from './deadlock.ts';
import { CONNECTIONS, type DatabaseLog, knexOptions, SILENT_CLIENT_SECONDS } from './knex-options.ts';
import { semaphore } from './semaphore.ts';
import { DatabaseUnavailable } from './unavailable.ts';

const QUERY_TIMEOUT_MS = 5_000;
const PING_TIMEOUT_MS = 2_000;
const TRANSACTION_TIMEOUT_MS = 10_000;
const EXCLUSIVE_WAIT_MS = 60_000;
/** Transactions waiting for a lock must leave connections for reads. */
const TRANSACTIONS = { places: CONNECTIONS - 4, waiting: 1_000, waitMs: 4_000 };
/** Altering a large table takes long, and the connection that holds the lock is idle meanwhile. */
const EXCLUSIVE_WORK_SECONDS = 86_400;

/** MySQL and MariaDB, over a pool of connections. */
export function openMysql(url: string, log: DatabaseLog): Database {
  const knex = createKnex(knexOptions({ client: 'mysql', url }, log));
  const inTurn = semaphore(TRANSACTIONS);
  const reads = causalReads(url, log, knex);

  return {
    client: 'mysql',
    knex,
    statement<Row>(sql: string, { mayLag = false } = {}): Statement<Row> {
      const all = async (...bindings: (string | number)[]): Promise<Row[]> =>
        query<Row>(mayLag ? knex : await reads.pool(), sql, bindings);
      return { get: async (...bindings) => (await all(...bindings))[0], all, getAtHand: () => undefined };
    },
    transaction: (work) => retryDeadlocks(() => inTurn(() => withinTime(knex, work))),
    exclusively: (work) => holdingLock(knex, work),
    async ping() {
      await query(knex, 'select 1', [], PING_TIMEOUT_MS);
    },
    async close() {
      await Promise.all([reads.close(), knex.destroy()]);
    },
  };
}

async function query<Row>(
  knex: Knex,
  sql: string,
  bindings: (string | number)[],
  timeoutMs = QUERY_TIMEOUT_MS,
): Promise<Row[]> {
  const [rows] = await knex.raw<[Row[], unknown]>(sql, bindings).timeout(timeoutMs);
  return rows;
}

/**
 * A server that went silent would keep the transaction, its connection and its caller forever, so all of it is timed,
 * from begin to the response to commit. Without that response the outcome is unknown.
 */
async function withinTime<T>(knex: Knex, work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
  const connection: { stream: Socket } = await knex.client.acquireConnection();
  const timer = setTimeout(
    () => connection.stream.destroy(new DatabaseUnavailable('the transaction took too long')),
    TRANSACTION_TIMEOUT_MS,
  );
  try {
    return await knex.transaction(work, { connection });
  } finally {
    clearTimeout(timer);
    await knex.client.releaseConnection(connection);
  }
}

/** The server frees the lock when its connection ends, for whatever reason. */
async function holdingLock<T>(knex: Knex, work: (knex: Knex) => Promise<T>): Promise<T> {
  const connection: unknown = await knex.client.acquireConnection();
  const ask = async (sql: string, bindings: string[]): Promise<unknown> => {
    const [rows] = await knex.raw<[{ answer: unknown }[], unknown]>(sql, bindings).connection(connection);
    return rows[0]?.answer;
  };
  try {
    // Lock names are global to the server and limited to 64 characters.
    const database = String(await ask('select database() as answer', []));
    const name = `dashboard-admin.${createHash('sha256').update(database).digest('base64url').slice(0, 40)}`;
    const deadline = performance.now() + EXCLUSIVE_WAIT_MS;
    while ((await ask('select get_lock(?, 1) as answer', [name])) !== 1)
      if (performance.now() > deadline) throw new DatabaseUnavailable('another process holds the lock');
    await knex.raw('set session wait_timeout = ?', [EXCLUSIVE_WORK_SECONDS]).connection(connection);
    try {
      return await work(knex);
    } finally {
      await ask('select release_lock(?) as answer', [name]);
      await knex.raw('set session wait_timeout = ?', [SILENT_CLIENT_SECONDS]).connection(connection);
    }
  } finally {
    await knex.client.releaseConnection(connection);
  }
}

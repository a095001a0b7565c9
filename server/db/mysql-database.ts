import type { Socket } from 'node:net';
import createKnex, { type Knex } from 'knex';
import { causalReads } from './causal-reads.ts';
import { connectionLife, type LifeOptions } from './connection-life.ts';
import type { Database, Statement } from './database.ts';
import type { MysqlServer } from './database-address.ts';
import { retryDeadlocks } from './deadlock.ts';
import { CONNECTIONS, type DatabaseLog, knexOptions } from './knex-options.ts';
import { semaphore } from './semaphore.ts';
import { DatabaseUnavailable } from './unavailable.ts';

const QUERY_TIMEOUT_MS = 5_000;
const PING_TIMEOUT_MS = 2_000;
const TRANSACTION_TIMEOUT_MS = 10_000;
/** Transactions waiting for a lock must leave connections for reads. */
const TRANSACTIONS = { places: CONNECTIONS - 4, waiting: 1_000, waitMs: 4_000 };

/** MySQL and MariaDB, over a pool of connections. */
export function openMysql(server: MysqlServer, log: DatabaseLog, options?: LifeOptions): Database {
  const life = connectionLife(options);
  const open = (causal: boolean): Knex =>
    createKnex(knexOptions({ client: 'mysql', server }, log, { causal, life })).on('query-error', life.failed);
  const knex = open(false);
  const inTurn = semaphore(TRANSACTIONS);
  const reads = causalReads(() => open(true), knex);

  return {
    client: 'mysql',
    knex,
    statement<Row>(sql: string, { mayLag = false } = {}): Statement<Row> {
      const all = async (...bindings: (string | number)[]): Promise<Row[]> =>
        query<Row>(mayLag ? knex : await reads.pool(), sql, bindings);
      return { get: async (...bindings) => (await all(...bindings))[0], all, getAtHand: () => undefined };
    },
    transaction: (work) => retryDeadlocks(() => inTurn(() => withinTime(knex, work))),
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

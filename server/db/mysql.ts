import type { Socket } from 'node:net';
import createKnex, { type Knex } from 'knex';
import { cachedFor } from '../caches.ts';
import { turns } from '../queue.ts';
import type { Database, Statement } from './database.ts';
import type { MysqlServer } from './database-address.ts';
import { DatabaseUnavailable, retryDeadlocks } from './errors.ts';
import { CONNECTIONS, type DatabaseLog, knexOptions } from './knex.ts';
import { connectionLife } from './mysql-session.ts';

const READ_TIMEOUT_MS = 3_000;

/** MySQL has no such variable. */
async function isCluster(knex: Knex): Promise<boolean> {
  const [row] = await query<{ Value: string }>(knex, `show variables like 'wsrep_on'`, [], READ_TIMEOUT_MS);
  return row?.Value === 'ON';
}

const QUERY_TIMEOUT_MS = 5_000;
const PING_TIMEOUT_MS = 2_000;
const TRANSACTION_TIMEOUT_MS = 10_000;
/** Limited, because transactions that wait for a lock must leave connections for reads. */
const TRANSACTIONS = { places: CONNECTIONS - 4, waiting: 1_000, waitMs: 4_000 };

/** MySQL and MariaDB, through a pool of connections. */
export function openMysql(server: MysqlServer, log: DatabaseLog, monotonic?: () => number): Database {
  const life = connectionLife(monotonic);
  const open = (causal: boolean): Knex =>
    createKnex(knexOptions({ client: 'mysql', server }, log, { causal, life })).on('query-error', life.failed);
  const knex = open(false);
  const inTurn = turns(TRANSACTIONS, () => new DatabaseUnavailable('too many writes are waiting, or for too long'));
  let causal: Knex | undefined;
  /**
   * On a Galera cluster, reads wait for their node to catch up (`wsrep_sync_wait`). They have their own connections, so
   * that a lagging node does not hold up anything else
   * (https://galeracluster.com/library/documentation/mysql-wsrep-options.html).
   */
  async function choosePool(): Promise<Knex> {
    if (await isCluster(knex)) causal = open(true);
    return causal ?? knex;
  }
  const readPool = cachedFor(Number.POSITIVE_INFINITY, choosePool, () => performance.now(), 0);

  return {
    client: 'mysql',
    knex,
    statement<Row>(sql: string, { mayLag = false } = {}): Statement<Row> {
      const all = async (...bindings: (string | number)[]): Promise<Row[]> =>
        query<Row>(mayLag ? knex : await readPool(), sql, bindings);
      return { get: async (...bindings) => (await all(...bindings))[0], all };
    },
    transaction: (work) => retryDeadlocks(() => inTurn('', () => withinTime(knex, work))),
    async ping() {
      await query(knex, 'select 1', [], PING_TIMEOUT_MS);
    },
    async close() {
      await Promise.all([causal?.destroy(), knex.destroy()]);
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
 * A server that stops responding would hold up the transaction, its connection and its caller forever, so all of it has
 * a time limit, from BEGIN to the response to COMMIT. Without that response, the outcome is unknown.
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

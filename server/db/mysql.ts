import type { Socket } from 'node:net';
import createKnex, { type Knex } from 'knex';
import type { SessionDeviation } from './checks.ts';
import type { Database, Statement } from './database.ts';
import type { MysqlServer } from './database-address.ts';
import { DatabaseUnavailable, retryDeadlocks } from './errors.ts';
import { CONNECTIONS, type DatabaseLog, knexOptions } from './knex.ts';
import { connectionLife, type LifeOptions } from './mysql-session.ts';

const READ_TIMEOUT_MS = 3_000;

/** Connections whose reads see what was committed before on any node. */
export interface CausalReads {
  /** @throws if the server is away and has not been asked yet what it is */
  pool(): Promise<Knex>;
  close(): Promise<void>;
}

/**
 * On a Galera cluster, reads wait for their node to catch up (`wsrep_sync_wait`), on connections of their own: a node that
 * lags must not hold up what does without (https://galeracluster.com/library/documentation/mysql-wsrep-options.html).
 * @param open opens those connections
 * @param others the connections for everything else, and for reads where there is no cluster
 */
export function causalReads(open: () => Knex, others: Knex): CausalReads {
  let own: Knex | undefined;
  let chosen: Promise<Knex> | undefined;

  async function choose(): Promise<Knex> {
    if (!(await isCluster(others))) return others;
    own ??= open();
    return own;
  }
  return {
    pool() {
      chosen ??= choose().catch((error) => {
        chosen = undefined;
        throw error;
      });
      return chosen;
    },
    async close() {
      await own?.destroy();
    },
  };
}

/** MySQL does not know the variable. */
async function isCluster(knex: Knex): Promise<boolean> {
  const [rows] = await knex
    .raw<[{ Value: string }[], unknown]>(`show variables like 'wsrep_on'`)
    .timeout(READ_TIMEOUT_MS);
  return rows[0]?.Value === 'ON';
}

/**
 * A FIFO semaphore: runs at most `places` pieces of work at once.
 * @param options.waiting how many may wait
 * @param options.waitMs how long each may wait
 * @returns a function that runs work in its turn, and rejects with `DatabaseUnavailable` if that does not come
 */
export function semaphore(options: {
  places: number;
  waiting: number;
  waitMs: number;
}): <T>(work: () => Promise<T>) => Promise<T> {
  const { places, waiting, waitMs } = options;
  let free = places;
  const queue = new Set<() => void>();

  function turn(): Promise<void> {
    if (free > 0) {
      free -= 1;
      return Promise.resolve();
    }
    if (queue.size >= waiting) return Promise.reject(new DatabaseUnavailable('too many writes are waiting'));
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        queue.delete(enter);
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        queue.delete(enter);
        reject(new DatabaseUnavailable('timed out waiting to write'));
      }, waitMs);
      queue.add(enter);
    });
  }

  function leave(): void {
    const [next] = queue;
    if (next === undefined) free += 1;
    else next();
  }

  return async (work) => {
    await turn();
    try {
      return await work();
    } finally {
      leave();
    }
  };
}

/** The Galera cluster that a server is part of. */
export interface ClusterState {
  nodes: number;
  deviations: SessionDeviation[];
}

type Facts = ReadonlyMap<string, string>;
type Expectation = [isMet: (facts: Facts) => boolean, grave: boolean, what: string];

/** Fewer cannot outvote the loss of one. */
const NODES_MIN = 3;

const EXPECTED: readonly Expectation[] = [
  [
    (facts) => facts.get('wsrep_cluster_status') === 'Primary',
    true,
    'The node has no majority: it accepts nothing until it has.',
  ],
  [
    (facts) => nodesIn(facts) >= NODES_MIN,
    false,
    'The cluster has two nodes: when one is lost, the other one stops as well.',
  ],
  [
    (facts) => !provides(facts, 'pc.ignore_sb', 'true') && !provides(facts, 'pc.ignore_quorum', 'true'),
    true,
    'Two halves of a divided cluster would both accept writes: pc.ignore_sb or pc.ignore_quorum is true.',
  ],
  [
    (facts) => facts.get('wsrep_dirty_reads') !== 'ON',
    true,
    'A node without a majority answers with old data: wsrep_dirty_reads is ON.',
  ],
  [
    (facts) => facts.get('wsrep_osu_method') !== 'RSU',
    true,
    'Migrations would change one node only: wsrep_osu_method is RSU.',
  ],
  [
    (facts) => facts.get('wsrep_sync_wait') === '1',
    true,
    'Reads can miss acknowledged writes: wsrep_sync_wait does not reach the server as it is set for a connection.',
  ],
  [(facts) => facts.get('wsrep_desync') !== 'ON', false, 'The node may fall behind without limit: wsrep_desync is ON.'],
];

const VARIABLES = [
  'wsrep_on',
  'wsrep_dirty_reads',
  'wsrep_osu_method',
  'wsrep_sync_wait',
  'wsrep_desync',
  'wsrep_provider_options',
];
const STATUS = ['wsrep_cluster_size', 'wsrep_cluster_status'];

/** @returns undefined if the database is no cluster */
export async function clusterState(database: Database): Promise<ClusterState | undefined> {
  if (database.client === 'sqlite') return undefined;
  const named = (names: readonly string[]): string =>
    `where Variable_name in (${names.map((name) => `'${name}'`).join()})`;
  const read = (what: string, names: readonly string[]) =>
    database.statement<{ Variable_name: string; Value: string }>(`show ${what} ${named(names)}`).all();
  const rows = [...(await read('session variables', VARIABLES)), ...(await read('global status', STATUS))];
  const facts: Facts = new Map(rows.map((row) => [row.Variable_name, row.Value]));
  if (facts.get('wsrep_on') !== 'ON') return undefined;
  const deviations = EXPECTED.flatMap(([isMet, grave, what]) => (isMet(facts) ? [] : [{ grave, what }]));
  return { nodes: nodesIn(facts), deviations };
}

const nodesIn = (facts: Facts): number => Number(facts.get('wsrep_cluster_size') ?? 0);

/** Options stand in one text: `a.b = c; d.e = f; `. */
const provides = (facts: Facts, option: string, value: string): boolean =>
  (facts.get('wsrep_provider_options') ?? '')
    .split(';')
    .some((each) => each.replaceAll(' ', '') === `${option}=${value}`);

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
      return { get: async (...bindings) => (await all(...bindings))[0], all };
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

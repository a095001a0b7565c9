import type { Knex } from 'knex';

const QUERY_TIMEOUT_MS = 3_000;

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
    .timeout(QUERY_TIMEOUT_MS);
  return rows[0]?.Value === 'ON';
}

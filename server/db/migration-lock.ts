import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { DatabaseNotReady, isDuplicate, isUnavailable, retry } from './errors.ts';
import { databaseClock } from './lease.ts';
import { creationOf } from './migration.ts';

export const LOCK_TIMES = {
  /** How long the lock lasts after each renewal, by the database's clock. */
  leaseSeconds: 60,
  /** How long other processes still leave it alone after that: changing a large table may stall a whole cluster. */
  graceSeconds: 60,
  renewMs: 15_000,
  /** How long other processes wait for a renewal; longer than lease and grace together. */
  silentMs: 180_000,
};

export type LockTimes = typeof LOCK_TIMES;

export interface MigrationLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Another process has taken over the lock, and does what is left to do. */
export class LockLost extends Error {}

/** Proves in a write that this process still has the lock, and extends it. @throws LockLost */
export type Prove = (trx: Knex.Transaction) => Promise<void>;

interface LockRow {
  token: string;
  renewals: number;
  expires_at: number;
  now: number;
}

const TABLE = 'migration_lock';
const ROW = { id: 1 };
const READ_TIMEOUT_MS = 3_000;
const creation = creationOf(TABLE, ({ exact, integer }) => [
  `id ${integer} not null primary key`,
  `token ${exact(36)} not null`,
  `renewals ${integer} not null`,
  `expires_at ${integer} not null`,
]);

/**
 * A lock in one row, which all servers, nodes and processes share: `GET_LOCK` works within one node of a cluster only,
 * and knex's own lock is not freed when its holder is killed.
 */
export function migrationLock(database: Database, log: MigrationLog, times: LockTimes) {
  const { client, knex, transaction } = database;
  const { leaseSeconds, graceSeconds, renewMs, silentMs } = times;
  const clock = databaseClock(client);
  const token = randomUUID();
  const row = (from: Knex): Knex.QueryBuilder => from(TABLE).where(ROW);
  const expiry = (trx: Knex): Knex.Raw => trx.raw(`${clock} + ?`, [leaseSeconds]);
  const logged = { waiting: false, silent: false };
  let created = false;
  let lastSign: string | undefined;
  let lastSignAt = performance.now();

  /**
   * @returns whether this process has the lock now
   * @throws an error that is `isDuplicate` or `isUnavailable` if another process was first
   */
  async function take(): Promise<boolean> {
    if (!created) await transaction(async (trx) => void (await creation.up(trx)));
    created = true;
    const now = knex.raw(`${clock} as now`);
    const found: LockRow | undefined = await row(knex)
      .first('token', 'renewals', 'expires_at', now)
      .timeout(READ_TIMEOUT_MS);
    if (found === undefined) {
      await transaction((trx) => trx(TABLE).insert({ ...ROW, token, renewals: 0, expires_at: expiry(trx) }));
      return true;
    }
    // Stored by an earlier attempt, although the response to COMMIT was lost.
    if (found.token === token) return true;
    logWaiting(found);
    return found.now >= found.expires_at + graceSeconds && takeOver(found);
  }

  async function takeOver(found: LockRow): Promise<boolean> {
    const taken = await transaction((trx) => {
      const asSeen = row(trx).where({ token: found.token, renewals: found.renewals });
      return asSeen.update({ token, renewals: found.renewals + 1, expires_at: expiry(trx) });
    });
    if (taken > 0) log.warn({}, 'the lock for migrations was taken over from a process that no longer renews it');
    return taken > 0;
  }

  function logWaiting(found: LockRow): void {
    const latest = `${found.token} ${found.renewals}`;
    if (latest !== lastSign) lastSignAt = performance.now();
    lastSign = latest;
    if (!logged.waiting) log.info({}, 'another process is running migrations: waiting for it');
    logged.waiting = true;
    if (logged.silent || found.now < found.expires_at) return;
    const seconds = Math.max(0, found.expires_at + graceSeconds - found.now);
    log.warn({ seconds }, 'the process that runs migrations gives no sign of life: taking over if it stays silent');
    logged.silent = true;
  }

  const prove: Prove = async (trx) => {
    const values = { renewals: trx.raw('renewals + 1'), expires_at: expiry(trx) };
    if ((await row(trx).where({ token }).update(values)) === 0) throw new LockLost('the lock was taken over');
  };

  /** A failure is retried in the next round; a lost lock is noticed when it has to be proved. */
  async function renew(over: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(renewMs, undefined, { signal: over }).catch(() => {});
      if (over.aborted) return;
      await transaction(prove).catch(() => {});
    }
  }

  async function release(): Promise<void> {
    await retry(() => transaction((trx) => row(trx).where({ token }).delete())).catch((error) =>
      log.warn({ error }, 'the lock for migrations could not be released: it expires by itself'),
    );
  }

  return {
    /**
     * Does the work if no other process has the lock, and renews the lock while it runs.
     * @returns whether it was done; false while another process has the lock
     * @throws DatabaseNotReady if the lock could not be taken over although its holder gave no sign of life for three
     * minutes
     */
    async whileOurs(work: (prove: Prove) => Promise<void>) {
      let reason: unknown;
      const isOurs = await take().catch((error) => {
        if (!isDuplicate(error) && !isUnavailable(error)) throw error;
        reason = error;
        return false;
      });
      if (!isOurs) {
        if (performance.now() - lastSignAt <= silentMs) return false;
        const message = `The lock for migrations could not be taken: its holder gave no sign of life for ${silentMs / 1000} seconds.`;
        throw reason ?? new DatabaseNotReady(message);
      }
      const over = new AbortController();
      const renewing = renew(over.signal);
      try {
        await work(prove);
      } finally {
        over.abort();
        await renewing;
        await release();
        lastSignAt = performance.now();
      }
      return true;
    },
  };
}

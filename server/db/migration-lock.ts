import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { DatabaseNotReady, isDuplicate, isUnavailable, persistently } from './errors.ts';
import { databaseClock } from './lease.ts';
import { creationOf } from './migrations.ts';

export interface LockTimes {
  /** How long a process holds the lock after each sign of life, by the database's clock. */
  leaseSeconds: number;
  /** How long after that others still leave it alone: a change of a large table may stall a whole cluster. */
  graceSeconds: number;
  renewMs: number;
  /** How long others wait for a sign of life; more than lease and grace. */
  silentMs: number;
}

export const LOCK_TIMES: LockTimes = { leaseSeconds: 60, graceSeconds: 60, renewMs: 15_000, silentMs: 180_000 };

export interface MigrationLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
}

/** Another process has taken the lock over; whatever is left to do is its work now. */
export class LockLost extends Error {}

/** Proves in a write that the lock is ours still, and keeps it for longer. @throws LockLost */
export type Prove = (trx: Knex.Transaction) => Promise<void>;

export interface MigrationLock {
  /**
   * Does the work if no other process holds the lock, and renews it meanwhile.
   * @returns whether it was done: false while another process holds the lock
   * @throws DatabaseNotReady after three minutes in which its holder gave no sign of life and it could not be taken over
   */
  whileOurs(work: (prove: Prove) => Promise<void>): Promise<boolean>;
}

interface Held {
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
 * One row, which no server, node or process keeps to itself: `GET_LOCK` holds within one node of a cluster, and knex' own
 * lock is not freed when its holder is killed.
 */
export function migrationLock(database: Database, log: MigrationLog, times: LockTimes): MigrationLock {
  const { client, knex, transaction } = database;
  const { leaseSeconds, graceSeconds, renewMs, silentMs } = times;
  const clock = databaseClock(client);
  const token = randomUUID();
  const row = (from: Knex): Knex.QueryBuilder => from(TABLE).where(ROW);
  const expiry = (trx: Knex): Knex.Raw => trx.raw(`${clock} + ?`, [leaseSeconds]);
  const told = { waiting: false, silent: false };
  let created = false;
  let sign: string | undefined;
  let signAt = performance.now();

  /** @returns whether it is ours now. @throws isDuplicate, isUnavailable if another process was first */
  async function take(): Promise<boolean> {
    if (!created) await transaction(async (trx) => void (await creation.up(trx)));
    created = true;
    const now = knex.raw(`${clock} as now`);
    const held: Held | undefined = await row(knex)
      .first('token', 'renewals', 'expires_at', now)
      .timeout(READ_TIMEOUT_MS);
    if (held === undefined) {
      await transaction((trx) => trx(TABLE).insert({ ...ROW, token, renewals: 0, expires_at: expiry(trx) }));
      return true;
    }
    // Stored, though the response to the commit was lost.
    if (held.token === token) return true;
    noteSign(held);
    return held.now >= held.expires_at + graceSeconds && takeOver(held);
  }

  async function takeOver(held: Held): Promise<boolean> {
    const taken = await transaction((trx) => {
      const asSeen = row(trx).where({ token: held.token, renewals: held.renewals });
      return asSeen.update({ token, renewals: held.renewals + 1, expires_at: expiry(trx) });
    });
    if (taken > 0) log.warn({}, 'the lock for migrations was taken over from a process that no longer renews it');
    return taken > 0;
  }

  function noteSign(held: Held): void {
    const latest = `${held.token} ${held.renewals}`;
    if (latest !== sign) signAt = performance.now();
    sign = latest;
    if (!told.waiting) log.info({}, 'another process runs migrations: waiting for it');
    told.waiting = true;
    if (told.silent || held.now < held.expires_at) return;
    const seconds = Math.max(0, held.expires_at + graceSeconds - held.now);
    log.warn({ seconds }, 'the process that runs migrations gives no sign of life: taking over if it stays silent');
    told.silent = true;
  }

  const prove: Prove = async (trx) => {
    const values = { renewals: trx.raw('renewals + 1'), expires_at: expiry(trx) };
    if ((await row(trx).where({ token }).update(values)) === 0) throw new LockLost('the lock was taken over');
  };

  /** What fails is tried again at the next turn; a lock that is lost shows when it is to be proved. */
  async function renew(over: AbortSignal): Promise<void> {
    for (;;) {
      await sleep(renewMs, undefined, { signal: over }).catch(() => {});
      if (over.aborted) return;
      await transaction(prove).catch(() => {});
    }
  }

  async function release(): Promise<void> {
    await persistently(() => transaction((trx) => row(trx).where({ token }).delete())).catch((error) =>
      log.warn({ error }, 'the lock for migrations was not released: it ends by itself'),
    );
  }

  return {
    async whileOurs(work) {
      let reason: unknown;
      const isOurs = await take().catch((error) => {
        if (!isDuplicate(error) && !isUnavailable(error)) throw error;
        reason = error;
        return false;
      });
      if (!isOurs) {
        if (performance.now() - signAt <= silentMs) return false;
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
        signAt = performance.now();
      }
      return true;
    },
  };
}

import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database } from '../../db/database.ts';
import { deleteOldRows } from '../../db/delete-old-rows.ts';
import { isDuplicate } from '../../db/duplicate.ts';
import type { Log } from '../../log/log.ts';
import { LOGIN_SECONDS } from '../../session/session-cookie.ts';

const REMEMBERED_MAX = 10_000;
const WAITING_MAX = 1_000;
const WAIT_MS = 2_000;
/** Rows per statement, for SQLite's limit. */
const STORED_AT_ONCE = 500;

/** Which states of the login flow have been used: each is valid once, across all processes. */
export interface LoginStateReplay {
  /** Whether this process has used it. */
  has(state: string): boolean;
  /** Marks it as used in this process, before anything is done with it. */
  take(state: string): void;
  /** Whether any process has used it, according to the database. */
  isMarked(state: string): Promise<boolean>;
  /** Marks it for all processes, in the transaction of its sign-in. @throws LoginStateReplayed if another process was first */
  mark(state: string, trx: Knex.Transaction): Promise<void>;
  /** Marks it for all processes after a failed sign-in, if the database can store it now. */
  spend(state: string): Promise<void>;
}

/** Another process has already used the state. */
export class LoginStateReplayed extends Error {
  constructor() {
    super('the login state was already used');
    this.name = 'LoginStateReplayed';
  }
}

/**
 * @param options.now milliseconds since the epoch
 * @param options.monotonic milliseconds on a clock that only goes forward
 */
export function loginStateReplay(options: {
  database: Database;
  log: Pick<Log, 'warn'>;
  now: () => number;
  monotonic: () => number;
}): LoginStateReplay {
  const { database, log, now, monotonic } = options;
  /** Hash → when to forget it; oldest first. */
  const remembered = new Map<string, number>();
  let prunedAt = Number.NEGATIVE_INFINITY;
  let waiting: { state: string; expires_at: number }[] = [];
  let next: Promise<void> | undefined;
  let written = Promise.resolve();

  const find = database.statement<{ state: string }>('select state from used_login_states where state = ?');

  const second = (): number => Math.floor(now() / 1000);
  const rowOf = (state: string) => ({ state: hashOf(state), expires_at: second() + LOGIN_SECONDS });

  function forgetOld(): void {
    for (const [hash, until] of remembered) {
      if (until > monotonic() && remembered.size <= REMEMBERED_MAX) return;
      remembered.delete(hash);
    }
  }

  /** Delayed by another lifetime, since clocks may differ. */
  function pruneNowAndThen(): void {
    if (monotonic() - prunedAt < LOGIN_SECONDS * 1000) return;
    prunedAt = monotonic();
    const old = { table: 'used_login_states', column: 'expires_at', below: second() - LOGIN_SECONDS };
    deleteOldRows(database, old).catch((error) => log.warn({ error }, 'expired login states could not be removed'));
  }

  /**
   * One write at a time: states that fail meanwhile share the next, so that a flood of failing sign-ins causes few
   * writes.
   */
  function writeSoon(state: string): Promise<void> {
    if (waiting.length >= WAITING_MAX)
      return Promise.reject(new Error('too many login states are waiting to be stored'));
    waiting.push(rowOf(state));
    if (next === undefined) {
      next = written.then(writeWaiting);
      written = next.catch(() => {});
    }
    return next;
  }
  async function writeWaiting(): Promise<void> {
    const rows = waiting;
    waiting = [];
    next = undefined;
    await database.transaction(async (trx) => {
      for (let from = 0; from < rows.length; from += STORED_AT_ONCE)
        await trx('used_login_states')
          .insert(rows.slice(from, from + STORED_AT_ONCE))
          .onConflict('state')
          .ignore();
    });
  }

  return {
    has(state) {
      const until = remembered.get(hashOf(state));
      return until !== undefined && until > monotonic();
    },
    take(state) {
      remembered.set(hashOf(state), monotonic() + LOGIN_SECONDS * 1000);
      forgetOld();
      pruneNowAndThen();
    },
    // If the database is unavailable, nobody can sign in anyway.
    isMarked: (state) =>
      find.get(hashOf(state)).then(
        (row) => row !== undefined,
        () => false,
      ),
    async mark(state, trx) {
      try {
        await trx('used_login_states').insert(rowOf(state));
      } catch (error) {
        throw isDuplicate(error) ? new LoginStateReplayed() : error;
      }
    },
    async spend(state) {
      const stored = writeSoon(state).catch((error) => log.warn({ error }, 'a used login state could not be stored'));
      await Promise.race([stored, sleep(WAIT_MS, undefined, { ref: false })]);
    },
  };
}

const hashOf = (state: string): string => createHash('sha256').update(state).digest('base64url');

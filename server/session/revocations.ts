import type { Knex } from 'knex';
import type { Database } from '../db/database.ts';
import { deleteOldRows } from '../db/delete-old-rows.ts';
import type { Log } from '../log/log.ts';

export interface Revocations {
  /** Loads what is revoked, then keeps up with other processes until `close`. Rejects when the database is away. */
  start(): Promise<void>;
  /** From memory, which stays in force while the database is away. */
  isRevoked(session: { sessionId: string; identityId: string; epoch: number }): boolean;
  /**
   * Ends one session, here even when the call rejects because it could not be stored.
   * @param expiresAt seconds since the epoch: when the session would have ended by itself
   * @param first done in the same transaction before it: the record of the act
   */
  revokeSession(sessionId: string, expiresAt: number, first?: (trx: Knex.Transaction) => Promise<void>): Promise<void>;
  /** The epoch that a new session of this identity gets. */
  epochOf(identityId: string): Promise<number>;
  /**
   * Ends every session that the identity has now, for good.
   * @param first done in the same transaction before it: the record of the act, without which it does not happen
   */
  raiseEpoch(identityId: string, first?: (trx: Knex.Transaction) => Promise<void>): Promise<void>;
  close(): void;
}

/** Other processes see a revocation within this time and the duration of two reads: below five seconds. */
const POLL_MS = 2_000;
const PRUNE_MS = 600_000;
/** Replicas' clocks differ: a session that is over by this one may go on by another. */
export const CLOCK_MARGIN_SECONDS = 3_600;
/** A database that was set back may have reached the same number again: from time to time all of it is read. */
const READ_ALL_MS = 60_000;
/** Versions begin at 0. */
const BEFORE_ALL = -1;
/** Of what the database has lost, in one transaction. */
const STORED_AT_ONCE = 500;

/**
 * Session ids until they expire, and one number per identity: a session with a lower one is over. Both tables' changes
 * are numbered in the order of their commits, so that a poll reads one number and, when it has grown, the newer rows.
 * What this process knows and the database has lost, because it was restored from a backup, is stored there again.
 * @param options.now milliseconds since the epoch
 * @param options.monotonic milliseconds on a clock that only goes forward
 */
export function createRevocations(options: {
  database: Database;
  log: Pick<Log, 'warn' | 'info'>;
  now: () => number;
  monotonic: () => number;
  pollMs?: number;
}): Revocations {
  const { database, log, now, monotonic, pollMs = POLL_MS } = options;
  /** Session id → when it expires, in seconds. */
  const sessions = new Map<string, number>();
  const epochs = new Map<string, number>();
  let seen = 0;
  const began = now() - monotonic();
  let prunedAt = monotonic();
  let allReadAt = monotonic();
  let away = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const readVersion = database.statement<{ version: number }>('select version from revocation_version where id = 1');
  const newerSessions = database.statement<{ session_id: string; expires_at: number }>(
    'select session_id, expires_at from revoked_sessions where version > ?',
  );
  const newerEpochs = database.statement<{ identity_id: string; epoch: number }>(
    'select identity_id, epoch from identity_epochs where version > ?',
  );
  const readEpoch = database.statement<{ epoch: number }>('select epoch from identity_epochs where identity_id = ?');

  const learnEpoch = (identityId: string, epoch: number): void => {
    epochs.set(identityId, Math.max(epoch, epochs.get(identityId) ?? 0));
  };

  /** By both clocks: one that is set forward for a while must not bring back what was revoked. */
  const currentSecond = (): number => Math.floor(Math.min(now(), began + monotonic()) / 1000);

  async function poll(): Promise<void> {
    const version = (await readVersion.get())?.version ?? 0;
    const setBack = version < seen;
    if (setBack) log.warn('the database was set back: all revocations are read again');
    if (setBack || monotonic() - allReadAt >= READ_ALL_MS) await readAll();
    else if (version > seen) await read(seen);
    seen = version;
    if (monotonic() - prunedAt >= PRUNE_MS) prune();
  }

  /** @returns what the database holds of what changed after that version */
  async function read(version: number): Promise<{ sessions: Set<string>; epochs: Map<string, number> }> {
    const sessionRows = await newerSessions.all(version);
    const epochRows = await newerEpochs.all(version);
    for (const row of sessionRows) sessions.set(row.session_id, row.expires_at);
    for (const row of epochRows) learnEpoch(row.identity_id, row.epoch);
    return {
      sessions: new Set(sessionRows.map(({ session_id }) => session_id)),
      epochs: new Map(epochRows.map(({ identity_id, epoch }) => [identity_id, epoch])),
    };
  }

  async function readAll(): Promise<void> {
    const stored = await read(BEFORE_ALL);
    allReadAt = monotonic();
    const second = currentSecond();
    const lostSessions = [...sessions].filter(([id, expiresAt]) => expiresAt > second && !stored.sessions.has(id));
    const lostEpochs = [...epochs].filter(([id, epoch]) => epoch > (stored.epochs.get(id) ?? 0));
    if (lostSessions.length + lostEpochs.length === 0) return;
    // A failure is met again at the next reading; what is known stays in force meanwhile.
    await storeAgain(lostSessions, lostEpochs).catch((error) =>
      log.warn({ error }, 'revocations that the database has lost are not stored yet'),
    );
  }

  async function storeAgain(lostSessions: [string, number][], lostEpochs: [string, number][]): Promise<void> {
    for (let from = 0; from < lostSessions.length; from += STORED_AT_ONCE) {
      const some = lostSessions.slice(from, from + STORED_AT_ONCE);
      await change((trx, version) =>
        trx('revoked_sessions')
          .insert(some.map(([session_id, expires_at]) => ({ session_id, expires_at, version })))
          .onConflict('session_id')
          .ignore(),
      );
    }
    for (const [identityId, known] of lostEpochs)
      await change(async (trx, version) => {
        const stored = await storedEpoch(trx, identityId);
        if (stored < known) await storeEpoch(trx, identityId, known, version);
      });
    const [sessionsLost, identitiesLost] = [lostSessions.length, lostEpochs.length];
    log.warn(
      { sessions: sessionsLost, identities: identitiesLost },
      'revocations that the database had lost are stored',
    );
  }

  /** Polls go on meanwhile: it takes its time where there are many. */
  function prune(): void {
    const before = currentSecond() - CLOCK_MARGIN_SECONDS;
    prunedAt = monotonic();
    for (const [sessionId, expiresAt] of sessions) if (expiresAt < before) sessions.delete(sessionId);
    const old = { table: 'revoked_sessions', column: 'expires_at', below: before };
    deleteOldRows(database, old).catch((error) => {
      if (!closed) log.warn({ error }, 'revocations of ended sessions are not removed');
    });
  }

  async function keepUp(): Promise<void> {
    try {
      await poll();
      if (away) log.info('revocations are read again');
      away = false;
    } catch (error) {
      if (!away && !closed) log.warn({ error }, 'revocations cannot be read: those in memory stay in force');
      away = true;
    }
    schedule();
  }
  function schedule(): void {
    if (!closed) timer = setTimeout(keepUp, pollMs).unref();
  }

  /** Writers wait for one another at the number, which makes its order that of the commits. */
  const change = <T>(
    work: (trx: Knex.Transaction, version: number) => Promise<T>,
    first: (trx: Knex.Transaction) => Promise<void> = async () => {},
  ): Promise<T> =>
    database.transaction(async (trx) => {
      await first(trx);
      await trx('revocation_version').where({ id: 1 }).increment('version');
      const row: { version: number } | undefined = await trx('revocation_version').where({ id: 1 }).first('version');
      if (row === undefined) throw new Error('the revocations have no version');
      return work(trx, row.version);
    });

  return {
    async start() {
      await poll();
      schedule();
    },
    isRevoked: ({ sessionId, identityId, epoch }) => sessions.has(sessionId) || epoch < (epochs.get(identityId) ?? 0),
    async revokeSession(sessionId, expiresAt, first) {
      sessions.set(sessionId, expiresAt);
      await change(async (trx, version) => {
        await trx('revoked_sessions')
          .insert({ session_id: sessionId, expires_at: expiresAt, version })
          .onConflict('session_id')
          .merge();
      }, first);
    },
    async epochOf(identityId) {
      const stored = (await readEpoch.get(identityId))?.epoch ?? 0;
      return Math.max(stored, epochs.get(identityId) ?? 0);
    },
    async raiseEpoch(identityId, first) {
      const epoch = await change(async (trx, version) => {
        const raised = Math.max(await storedEpoch(trx, identityId), epochs.get(identityId) ?? 0) + 1;
        await storeEpoch(trx, identityId, raised, version);
        return raised;
      }, first);
      learnEpoch(identityId, epoch);
    },
    close() {
      closed = true;
      clearTimeout(timer);
    },
  };
}

async function storedEpoch(trx: Knex.Transaction, identityId: string): Promise<number> {
  const row: { epoch: number } | undefined = await trx('identity_epochs')
    .where({ identity_id: identityId })
    .first('epoch');
  return row?.epoch ?? 0;
}

async function storeEpoch(trx: Knex.Transaction, identityId: string, epoch: number, version: number): Promise<void> {
  await trx('identity_epochs').insert({ identity_id: identityId, epoch, version }).onConflict('identity_id').merge();
}

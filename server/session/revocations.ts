import type { Knex } from 'knex';
import { type Database, deleteOldRows } from '../db/database.ts';
import type { Log } from '../log.ts';

const PRUNE_MS = 600_000;
/** Replicas' clocks differ: a session that has expired on one may still be valid on another. */
const CLOCK_MARGIN_SECONDS = 3_600;
/** A restored database may have reached the same number again, so everything is read again at this interval. */
const READ_ALL_MS = 60_000;
/** Versions start at 0. */
const BEFORE_ALL = -1;
/** How many lost revocations are stored again per transaction. */
const STORED_AT_ONCE = 500;

/**
 * Keeps session ids until they expire, and an epoch per identity, below which sessions are invalid. Changes to both
 * tables are numbered in commit order, so that only newer rows are read, and only when the number has grown.
 * Revocations that this process knows but a database restored from a backup lacks are stored there again.
 */
export function createRevocations(options: {
  database: Database;
  log: Pick<Log, 'warn'>;
  now: () => number;
  monotonic: () => number;
}) {
  const { database, log, now, monotonic } = options;
  /** Session id → expiry, in seconds. */
  const sessions = new Map<string, number>();
  /** By identity id in lower case: a UUID may be written in capitals. */
  const epochs = new Map<string, number>();
  let seen = 0;
  const began = now() - monotonic();
  let prunedAt = monotonic();
  let allReadAt = monotonic();
  let closed = false;

  const polled = { mayLag: true };
  const newerSessions = database.statement<{ session_id: string; expires_at: number }>(
    'select session_id, expires_at from revoked_sessions where version > ?',
    polled,
  );
  const newerEpochs = database.statement<{ identity_id: string; epoch: number }>(
    'select identity_id, epoch from identity_epochs where version > ?',
    polled,
  );
  const readEpoch = database.statement<{ epoch: number }>('select epoch from identity_epochs where identity_id = ?');

  const epochIn = (identityId: string): number => epochs.get(identityId.toLowerCase()) ?? 0;
  const learnEpoch = (identityId: string, epoch: number): void => {
    epochs.set(identityId.toLowerCase(), Math.max(epoch, epochIn(identityId)));
  };

  /** The earlier of two clocks: a wall clock set forward for a while must not revive revoked sessions. */
  const currentSecond = (): number => Math.floor(Math.min(now(), began + monotonic()) / 1000);

  async function follow(version: number): Promise<void> {
    const setBack = version < seen;
    if (setBack) log.warn('the database was restored from a backup: reading all revocations again');
    if (setBack || monotonic() - allReadAt >= READ_ALL_MS) await readAll();
    else if (version > seen) await read(seen);
    seen = version;
    if (monotonic() - prunedAt >= PRUNE_MS) prune();
  }

  /** Sessions that expired before this second have expired on every replica's clock, and are dropped. */
  const expiredBefore = (): number => currentSecond() - CLOCK_MARGIN_SECONDS;

  /** @returns what has changed in the database since that version */
  async function read(version: number): Promise<{ sessions: Set<string>; epochs: Map<string, number> }> {
    const sessionRows = await newerSessions.all(version);
    const epochRows = await newerEpochs.all(version);
    // Rows that are being pruned must not come back.
    const before = expiredBefore();
    for (const row of sessionRows) if (row.expires_at >= before) sessions.set(row.session_id, row.expires_at);
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
    // Retried when everything is read next; until then, they apply in memory.
    await storeAgain(lostSessions, lostEpochs).catch((error) =>
      log.warn({ error }, 'revocations missing from the database could not be stored yet'),
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
    for (const [identityId, epoch] of lostEpochs)
      await change(async (trx, version) => {
        const stored = await storedEpoch(trx, identityId);
        if (stored < epoch) await storeEpoch(trx, identityId, epoch, version);
      });
    const lost = { sessions: lostSessions.length, identities: lostEpochs.length };
    log.warn(lost, 'revocations missing from the database were stored again');
  }

  /** Not awaited: deleting many rows takes long, and `follow` must continue. */
  function prune(): void {
    const before = expiredBefore();
    prunedAt = monotonic();
    for (const [sessionId, expiresAt] of sessions) if (expiresAt < before) sessions.delete(sessionId);
    const old = { table: 'revoked_sessions', column: 'expires_at', below: before };
    deleteOldRows(database, old).catch((error) => {
      if (!closed) log.warn({ error }, 'expired revocations could not be removed');
    });
  }

  /** Writers queue for the row with the number, so that numbers follow the order of commits. */
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
    /**
     * Loads what other processes have revoked: everything on the first call, then only what is new. Call it every few
     * seconds.
     * @param version the number of the last change in the database
     */
    follow,
    /** Answered from memory, which stays valid while the database is unavailable. */
    isRevoked: ({ sessionId, identityId, epoch }: { sessionId: string; identityId: string; epoch: number }) =>
      sessions.has(sessionId) || epoch < epochIn(identityId),
    /**
     * Ends one session. In this process, it ends even if the call rejects because that could not be stored.
     * @param expiresAt when the session would expire anyway, in seconds since the epoch
     * @param first runs first in the same transaction: the audit record
     */
    async revokeSession(sessionId: string, expiresAt: number, first?: (trx: Knex.Transaction) => Promise<void>) {
      sessions.set(sessionId, expiresAt);
      await change(async (trx, version) => {
        await trx('revoked_sessions')
          .insert({ session_id: sessionId, expires_at: expiresAt, version })
          .onConflict('session_id')
          .merge();
      }, first);
    },
    /** The epoch for a new session of this identity. */
    async epochOf(identityId: string) {
      const stored = (await readEpoch.get(identityId.toLowerCase()))?.epoch ?? 0;
      return Math.max(stored, epochIn(identityId));
    },
    /**
     * Ends all current sessions of the identity for good.
     * @param first runs first in the same transaction: the audit record, without which nothing happens
     */
    async raiseEpoch(identityId: string, first?: (trx: Knex.Transaction) => Promise<void>) {
      const epoch = await change(async (trx, version) => {
        const id = identityId.toLowerCase();
        const raised = Math.max(await storedEpoch(trx, id), epochIn(id)) + 1;
        await storeEpoch(trx, id, raised, version);
        return raised;
      }, first);
      learnEpoch(identityId, epoch);
    },
    /** Failures from now on are not logged. */
    close() {
      closed = true;
    },
  };
}

export type Revocations = ReturnType<typeof createRevocations>;

async function storedEpoch(trx: Knex.Transaction, identityId: string): Promise<number> {
  const row: { epoch: number } | undefined = await trx('identity_epochs')
    .where({ identity_id: identityId })
    .first('epoch');
  return row?.epoch ?? 0;
}

async function storeEpoch(trx: Knex.Transaction, identityId: string, epoch: number, version: number): Promise<void> {
  await trx('identity_epochs').insert({ identity_id: identityId, epoch, version }).onConflict('identity_id').merge();
}

import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { deleteOldRows } from './delete-old-rows.ts';
import type { NoticingDatabase } from './full-disk.ts';
import { DatabaseUnavailable } from './unavailable.ts';

const EVERY_MS = 5_000;
const WAIT_MS = 2_000;
/** A write that waits longer counts as failed. */
const SLOW_MS = 15_000;
const FORGOTTEN_SECONDS = 3_600;

/**
 * Checks whether the database accepts writes: with a full disk or a read-only server, reads still work. Each process
 * writes its own row.
 * @param options.now milliseconds since the epoch
 * @param options.monotonic milliseconds on a monotonic clock
 * @returns a check that rejects if the database is unavailable or does not accept writes; writes every few seconds at
 * most
 */
export function writeProbe(options: {
  database: NoticingDatabase;
  now: () => number;
  monotonic: () => number;
}): () => Promise<void> {
  const { database, now, monotonic } = options;
  const id = randomUUID();
  let writtenAt = Number.NEGATIVE_INFINITY;
  let prunedAt = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;

  async function write(): Promise<void> {
    const written_at = Math.floor(now() / 1000);
    await database.transaction((trx) => trx('write_probes').insert({ id, written_at }).onConflict('id').merge());
    writtenAt = monotonic();
    if (writtenAt - prunedAt >= FORGOTTEN_SECONDS * 1000) {
      prunedAt = writtenAt;
      // In its own transaction: two processes that each lock their row and scan all would deadlock.
      const old = { table: 'write_probes', column: 'written_at', below: written_at - FORGOTTEN_SECONDS };
      await deleteOldRows(database, old).catch(() => {});
    }
  }

  return async () => {
    await database.ping();
    if (database.foundFull()) throw new DatabaseUnavailable('the database disk is full');
    if (monotonic() - writtenAt < EVERY_MS) return;
    underWay ??= write().finally(() => {
      underWay = undefined;
    });
    const inTime = await Promise.race([underWay.then(() => true), sleep(WAIT_MS, false, { ref: false })]);
    if (!inTime && monotonic() - writtenAt > SLOW_MS)
      throw new DatabaseUnavailable('the database does not accept writes');
  };
}

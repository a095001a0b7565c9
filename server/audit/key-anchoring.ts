import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import type { Log } from '../log/log.ts';
import { anchorEvent, noRecord } from './audit-anchor.ts';
import type { AuditChain } from './audit-chain.ts';
import type { AuditTrail } from './audit-trail.ts';
import { auditKeyUse } from './key-use.ts';
import { startIn } from './trail-start.ts';
import { chainWalk } from './verify-chain.ts';

const LOOK_AGAIN_MS = 30_000;
/** How long to wait while other replicas may still sign with the key being replaced. */
const CALM_MS = 60_000;
/** If the current key is the older one, the rotation has not reached this replica yet, or is being reverted. */
const OLDER_CALM_MS = 3_600_000;
const BROKEN_MS = 900_000;
/** Between two batches, so that requests come first. */
const PAUSE_MS = 10;

export interface KeyAnchoring {
  /** Looks from time to time until closed. */
  start(): void;
  /** Records an anchor if one is due. */
  look(): Promise<void>;
  close(): Promise<void>;
}

/**
 * After a rotation of the signing key: verifies the trail while the previous key is still available and records an
 * anchor under the current key, so that the trail can be verified once the previous key is gone. If the previous key
 * signs more records after that, another anchor follows once they have stopped for a while.
 * @param options.elapsed milliseconds on a monotonic clock
 */
export function keyAnchoring(options: {
  database: Database;
  chain: AuditChain;
  audit: Pick<AuditTrail, 'lock' | 'record'>;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  elapsed: () => number;
}): KeyAnchoring {
  const { database, chain, audit, log, elapsed } = options;
  const { current, previous } = chain.keyIds;
  const use = auditKeyUse(database, chain);
  const walk = chainWalk(database, chain);
  const closing = new AbortController();
  const { signal } = closing;
  const rest = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false, signal });
  /** The last record signed with the previous key, and since when there has been no later one. */
  let waiting: { sequence: number; since: number } | undefined;
  let notBefore = Number.NEGATIVE_INFINITY;
  let running: Promise<void> | undefined;

  async function calmMs(previousKey: string): Promise<number> {
    const [own, other] = await Promise.all([use.first(current), use.first(previousKey)]);
    return own === undefined || (other !== undefined && other.sequence < own.sequence) ? CALM_MS : OLDER_CALM_MS;
  }

  async function look(): Promise<void> {
    if (previous === undefined || elapsed() < notBefore) return;
    const last = await use.last(previous);
    if (last === undefined || last.sequence <= (await use.anchoredTo())) return;
    if (waiting?.sequence !== last.sequence) waiting = { sequence: last.sequence, since: elapsed() };
    if (elapsed() - waiting.since >= (await calmMs(previous))) await anchor();
  }

  async function anchor(): Promise<void> {
    const end = await walk(noRecord(), { pause: () => rest(PAUSE_MS) });
    if ('problem' in end) {
      notBefore = elapsed() + BROKEN_MS;
      log.error(
        { sequence: end.sequence, problem: end.problem },
        'the audit trail is broken: the current key does not vouch for it',
      );
      return;
    }
    await database.transaction(async (trx) => {
      await audit.lock(trx);
      // What was pruned meanwhile is part of the digest: it is computed again at the next look.
      if ((await startIn(trx)).sequence !== end.start) return;
      const meanwhile = await trx('audit_log')
        .where({ action: 'audit_anchor', key_id: current })
        .where('sequence', '>', end.sequence)
        .first('sequence');
      // Unless another replica has recorded it meanwhile.
      if (meanwhile === undefined) await audit.record(anchorEvent(end), trx);
    });
    log.info({ records: end.sequence }, 'the current key vouches for the audit trail');
  }

  async function keepLooking(): Promise<void> {
    while (!signal.aborted) {
      await look().catch((error) => signal.aborted || log.warn({ error }, 'the anchor of the audit trail waits'));
      await rest(LOOK_AGAIN_MS).catch(() => {});
    }
  }

  return {
    start() {
      if (previous !== undefined) running ??= keepLooking();
    },
    look,
    async close() {
      closing.abort();
      await running;
    },
  };
}

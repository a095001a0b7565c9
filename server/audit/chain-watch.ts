import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditChainState } from '../../shared/audit.ts';
import type { Database } from '../db/database.ts';
import type { Log } from '../log.ts';
import { anchorEvent, auditKeyUse, type ChainPosition, noRecord } from './anchors.ts';
import { type AuditChain, startIn } from './chain.ts';
import type { AuditTrail } from './trail.ts';
import { type ChainFault, type ChainWalk, chainWalk } from './verify.ts';

const LOOK_AGAIN_MS = 30_000;
/** How long to wait while other replicas may still sign with the key being replaced. */
const CALM_MS = 60_000;
/** If the current key is the older one, the rotation has not reached this replica yet, or is being reverted. */
const OLDER_CALM_MS = 3_600_000;
const BROKEN_MS = 900_000;
/** The pause between two batches, which lets requests run first. */
const PAUSE_MS = 10;

/**
 * After a rotation of the signing key, verifies the trail while the previous key is still available and records an
 * anchor under the current key, so that the trail can be verified once the previous key is gone. If the previous key
 * signs more records after that, another anchor follows once they have stopped for a while.
 */
export function keyAnchoring(options: {
  database: Database;
  chain: AuditChain;
  audit: Pick<AuditTrail, 'lock' | 'record'>;
  log: Pick<Log, 'info' | 'warn' | 'error'>;
  elapsed: () => number;
}) {
  const { database, chain, audit, log, elapsed } = options;
  const { current, previous } = chain.keyIds;
  const use = auditKeyUse(database, chain);
  const walk = chainWalk(database, chain);
  const closing = new AbortController();
  const { signal } = closing;
  const rest = (ms: number): Promise<void> => sleep(ms, undefined, { ref: false, signal });
  /** The last record signed with the previous key, and when it was first seen to be the last. */
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
      const { sequence, problem } = end;
      log.error({ sequence, problem }, 'the audit trail is broken: the current key does not vouch for it');
      return;
    }
    await database.transaction(async (trx) => {
      await audit.lock(trx);
      // A prune in the meantime changes what the digest covers: it is computed again next time.
      if ((await startIn(trx)).sequence !== end.start) return;
      const other = await trx('audit_log')
        .where({ action: 'audit_anchor', key_id: current })
        .where('sequence', '>', end.sequence)
        .first('sequence');
      // Another replica may have recorded it.
      if (other === undefined) await audit.record(anchorEvent(end), trx);
    });
    log.info({ records: end.sequence }, 'the current key vouches for the audit trail');
  }

  async function keepLooking(): Promise<void> {
    while (!signal.aborted) {
      await look().catch(
        (error) => signal.aborted || log.warn({ error }, 'the anchor of the audit trail could not be recorded yet'),
      );
      await rest(LOOK_AGAIN_MS).catch(() => {});
    }
  }

  return {
    /** Regularly checks whether an anchor is due, until closed. */
    start() {
      if (previous !== undefined) running ??= keepLooking();
    },
    /** Records an anchor if one is due. */
    look,
    async close() {
      closing.abort();
      await running;
    },
  };
}

/** Verified records may be changed in the database later, so the whole trail is verified again at this interval. */
const ANEW_MS = 15 * 60_000;
const ANEW_WHEN_BROKEN_MS = 60_000;
const WAIT_MS = 300;
/**
 * Verifies the chain in the background when its state is requested: the whole chain once, then new records. It
 * remembers the furthest record verified, so that a tail truncated later is noticed even if the head was reset as well.
 */
export function chainWatch(options: {
  walk: ChainWalk;
  /** The sequence of the newest record. */
  head: () => Promise<number>;
  log: Pick<Log, 'error'>;
  now: () => number;
  elapsed: () => number;
}) {
  const { walk, log, now, elapsed } = options;
  /** The record after which the next verification begins. */
  let reached = noRecord();
  /** The furthest record verified so far. After a prune, ahead of `reached` until the rest has been verified again. */
  let verified = noRecord();
  let fault: ChainFault | undefined;
  /** Whether the trail has been walked from the first record to the end or to a fault. */
  let walked = false;
  let walkedAt = Number.NEGATIVE_INFINITY;
  let asOf = now();
  let following: Promise<void> | undefined;
  let again: Promise<void> | undefined;
  const closing = new AbortController();
  const rest = (): Promise<unknown> => sleep(PAUSE_MS, undefined, { ref: false, signal: closing.signal });

  function conclude(end: ChainPosition | ChainFault): void {
    asOf = now();
    walked = true;
    if ('problem' in end) {
      if (fault?.sequence !== end.sequence)
        log.error({ sequence: end.sequence, problem: end.problem }, 'the audit trail is broken');
      fault = end;
    } else reach(end);
  }

  function reach(position: ChainPosition): void {
    reached = position;
    if (position.sequence > verified.sequence) verified = position;
  }

  /** Verifies new records, or all of them the first time. */
  async function follow(): Promise<void> {
    if (fault !== undefined) return;
    if (!walked) walkedAt = elapsed();
    const pause = (position: ChainPosition): Promise<unknown> => {
      reach(position);
      return rest();
    };
    conclude(await walk(reached, { pause, mustReach: verified }));
  }

  /** Verifies the whole trail again, while new records continue to be verified by `follow`. */
  function walkAgainWhenDue(): void {
    const due = fault === undefined ? ANEW_MS : ANEW_WHEN_BROKEN_MS;
    if (again !== undefined || !walked || elapsed() - walkedAt < due) return;
    walkedAt = elapsed();
    again = walk(noRecord(), { pause: rest, mustReach: verified })
      .then((end) => {
        // Only a complete walk clears a fault: records after a broken one may be valid.
        if (!('problem' in end)) fault = undefined;
        conclude(end);
      })
      .catch((error) => closing.signal.aborted || log.error({ error }, 'the audit trail cannot be verified'))
      .then(() => {
        again = undefined;
      });
  }

  return {
    /** Starts checking new records, waits briefly, and says what is verified so far. Rejects without the database. */
    async state(): Promise<AuditChainState> {
      following ??= follow().finally(() => {
        following = undefined;
      });
      // A failure reaches the callers that are still waiting; otherwise it shows on the next call.
      following.catch(() => {});
      const caughtUp = await Promise.race([following.then(() => true), sleep(WAIT_MS, false, { ref: false })]);
      const head = caughtUp && fault === undefined ? verified.sequence : await options.head();
      walkAgainWhenDue();
      return {
        status: fault !== undefined ? 'broken' : caughtUp ? 'whole' : 'checking',
        verified_to: fault === undefined ? verified.sequence : Math.max(0, fault.sequence - 1),
        head,
        broken_at: fault?.sequence ?? null,
        as_of: new Date(asOf).toISOString(),
      };
    },
    async close() {
      closing.abort();
      await Promise.allSettled([following, again]);
    },
  };
}

export type ChainWatch = ReturnType<typeof chainWatch>;

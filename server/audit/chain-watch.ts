import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditChainState } from '../../shared/audit.ts';
import type { Log } from '../log/log.ts';
import { type ChainPosition, noRecord } from './audit-anchor.ts';
import type { ChainFault, ChainWalk } from './verify-chain.ts';

export interface ChainWatch {
  /**
   * Starts checking new records, waits briefly for the outcome, and returns what is known by then. Rejects if the
   * database is unavailable.
   */
  state(): Promise<AuditChainState>;
  close(): Promise<void>;
}

/** Verified records may be changed in the database later, so the whole trail is verified again this often. */
const ANEW_MS = 15 * 60_000;
const ANEW_WHEN_BROKEN_MS = 60_000;
const WAIT_MS = 300;
/** Between batches, so that requests have priority. */
const PAUSE_MS = 10;

/**
 * Verifies the chain in the background when its state is requested: all of it once, then new records.
 * The furthest record verified is remembered, so that a tail truncated later is noticed even if the head was reset,
 * too.
 * @param options.now milliseconds since the epoch
 * @param options.elapsed milliseconds on a monotonic clock
 */
export function chainWatch(options: {
  walk: ChainWalk;
  /** The sequence of the newest record. */
  head: () => Promise<number>;
  log: Pick<Log, 'error'>;
  now: () => number;
  elapsed: () => number;
}): ChainWatch {
  const { walk, log, now, elapsed } = options;
  /** From where new records are verified. */
  let reached = noRecord();
  /** The furthest record verified so far: after a prune, ahead of `reached` until all of the rest has been verified. */
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

  /** Verifies new records; the first time, all. */
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

  function status(caughtUp: boolean): AuditChainState['status'] {
    if (fault !== undefined) return 'broken';
    return caughtUp ? 'whole' : 'checking';
  }

  return {
    async state() {
      following ??= follow().finally(() => {
        following = undefined;
      });
      // A caller still waiting gets a failure; a later one appears at the next call.
      following.catch(() => {});
      const caughtUp = await Promise.race([following.then(() => true), sleep(WAIT_MS, false, { ref: false })]);
      const head = caughtUp && fault === undefined ? verified.sequence : await options.head();
      walkAgainWhenDue();
      return {
        status: status(caughtUp),
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

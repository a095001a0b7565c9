import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditChainState } from '../../shared/audit.ts';
import type { Log } from '../log/log.ts';
import { type ChainPosition, noRecord } from './audit-anchor.ts';
import type { ChainFault, ChainWalk } from './verify-chain.ts';

export interface ChainWatch {
  /**
   * Looks at what is new, waits a moment for the outcome, and says what is known by then. Rejects when the database is
   * away.
   */
  state(): Promise<AuditChainState>;
  close(): Promise<void>;
}

/** What stands in the database may change behind our back: from time to time all of it is verified again. */
const ANEW_MS = 15 * 60_000;
const ANEW_WHEN_BROKEN_MS = 60_000;
const WAIT_MS = 300;
/** Between two batches: requests come first. */
const PAUSE_MS = 10;

/**
 * Verifies the chain in the background for as long as somebody asks: once from the beginning, then what is new.
 * A record that this process has verified is never forgotten, so that a tail that is cut off later shows, also when the
 * head was set back with it.
 * @param options.now milliseconds since the epoch
 * @param options.elapsed milliseconds on a monotonic clock
 */
export function chainWatch(options: {
  walk: ChainWalk;
  /** The newest record's sequence. */
  head: () => Promise<number>;
  log: Pick<Log, 'error'>;
  now: () => number;
  elapsed: () => number;
}): ChainWatch {
  const { walk, log, now, elapsed } = options;
  /** The furthest record that was ever verified. */
  let verified = noRecord();
  let fault: ChainFault | undefined;
  /** Once from the beginning to an end or a fault. */
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
    } else if (end.sequence > verified.sequence) verified = end;
  }

  /** What is new since the last time; at first, everything. */
  async function follow(): Promise<void> {
    if (fault !== undefined) return;
    if (!walked) walkedAt = elapsed();
    const pause = (reached: ChainPosition): Promise<unknown> => {
      verified = reached;
      return rest();
    };
    conclude(await walk(verified, { pause }));
  }

  /** All of it, beside what is new, which goes on counting as verified meanwhile. */
  function walkAgainWhenDue(): void {
    const due = fault === undefined ? ANEW_MS : ANEW_WHEN_BROKEN_MS;
    if (again !== undefined || !walked || elapsed() - walkedAt < due) return;
    walkedAt = elapsed();
    again = walk(noRecord(), { pause: rest, mustReach: verified })
      .then((end) => {
        // Only all of it takes a fault back: what is new may be sound behind one.
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
      // Whoever waits gets the failure; one that comes after the wait is met again at the next question.
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

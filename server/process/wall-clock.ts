import type { Log } from '../log.ts';

const EVERY_MS = 5_000;
/** Synchronised clocks drift by milliseconds only. */
const STEP_MS = 1_000;

/**
 * Notices when the wall clock is set: sessions then expire earlier or later than intended, and times in the audit trail
 * are out of order.
 * @param options.now milliseconds since the epoch
 * @param options.monotonic milliseconds on a monotonic clock
 * @returns stops watching
 */
export function watchWallClock(options: {
  now: () => number;
  monotonic: () => number;
  log: Pick<Log, 'warn'>;
  everyMs?: number;
}): () => void {
  const { now, monotonic, log, everyMs = EVERY_MS } = options;
  let distance = now() - monotonic();
  const timer = setInterval(() => {
    const before = distance;
    distance = now() - monotonic();
    const step = distance - before;
    if (Math.abs(step) < STEP_MS) return;
    const seconds = Math.round(step / 1000);
    log.warn({ seconds }, `the wall clock was set ${seconds > 0 ? 'forward' : 'back'}`);
  }, everyMs).unref();
  return () => clearInterval(timer);
}

import { setTimeout as sleep } from 'node:timers/promises';
import { POSTURE_IDS, type Posture, type PostureCheck } from '../../../../shared/posture.ts';
import type { Log } from '../../../log/log.ts';
import { type Check, type Finding, unknown } from './check.ts';

export interface PostureReport {
  /** Cached for a few seconds; takes no longer than the slowest check may. Never rejects. */
  read(): Promise<Posture>;
}

/** Several viewers of the page share one run. */
const CACHE_MS = 5_000;
const CHECK_TIMEOUT_MS = 5_000;

/** What one check finds in time. Never rejects: a failure is logged, and counts as `unknown`. */
export async function examine<Id extends string>(
  { id, look }: Check<Id>,
  log: Pick<Log, 'warn'>,
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<Finding> {
  const ending = new AbortController();
  const tooLate = sleep(timeoutMs, unknown('The check took too long.', 'Check again later.'), {
    ref: false,
    signal: ending.signal,
  });
  tooLate.catch(() => {});
  try {
    return await Promise.race([look(), tooLate]);
  } catch (error) {
    log.warn({ check: id, error }, 'a posture check failed');
    return unknown('The check failed: a service it depends on did not respond.', 'Check again later.');
  } finally {
    ending.abort();
  }
}

/**
 * @param options.now milliseconds since the epoch
 * @param options.elapsed milliseconds on a monotonic clock
 */
export function postureReport(options: {
  checks: readonly Check[];
  log: Pick<Log, 'warn'>;
  now: () => number;
  elapsed: () => number;
  timeoutMs?: number;
}): PostureReport {
  const { log, now, elapsed, timeoutMs } = options;
  const checks = options.checks.toSorted((a, b) => POSTURE_IDS.indexOf(a.id) - POSTURE_IDS.indexOf(b.id));
  let known: { posture: Posture; until: number } | undefined;
  let running: Promise<Posture> | undefined;

  async function run(): Promise<Posture> {
    const as_of = new Date(now()).toISOString();
    const all = checks.map(async (check): Promise<PostureCheck> => {
      const { id, title, why } = check;
      const { status, detail, action } = await examine(check, log, timeoutMs);
      return { id, title, why, status, detail, action };
    });
    return { as_of, checks: await Promise.all(all) };
  }

  return {
    async read() {
      if (known !== undefined && known.until > elapsed()) return known.posture;
      running ??= run().finally(() => {
        running = undefined;
      });
      const posture = await running;
      known = { posture, until: elapsed() + CACHE_MS };
      return posture;
    },
  };
}

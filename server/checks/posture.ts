import { setTimeout as sleep } from 'node:timers/promises';
import type { Router } from 'express';
import { POSTURE_IDS, type Posture, type PostureCheck, type PostureId } from '../../shared/security.ts';
import { cachedFor } from '../caches.ts';
import { readRoutes } from '../http/response.ts';
import type { Log } from '../log.ts';
import { type Check, type CheckSources, type Finding, unknown } from './check.ts';
import { keyChecks } from './keys.ts';
import { networkChecks } from './network.ts';
import { operatorChecks } from './operators.ts';
import { signInChecks } from './sign-in.ts';
import { softwareChecks, storageChecks } from './storage.ts';
import { upstreamChecks } from './upstreams.ts';

/** All checks. The posture page runs them all, `doctor` those that work before the service runs. */
export const postureChecks = (sources: CheckSources): Record<PostureId, Check> => ({
  ...keyChecks(sources),
  ...networkChecks(sources),
  ...upstreamChecks(sources),
  ...operatorChecks(sources),
  ...signInChecks(sources),
  ...storageChecks(sources),
  ...softwareChecks(sources),
});

/** Several viewers of the page share one run. */
const CACHE_MS = 5_000;
const CHECK_TIMEOUT_MS = 5_000;

/** Runs a check. Never rejects: a failure or timeout is `unknown`; failures are logged. */
export async function examine(
  id: string,
  { look }: Pick<Check, 'look'>,
  log: Pick<Log, 'warn'>,
  timeoutMs = CHECK_TIMEOUT_MS,
): Promise<Finding> {
  const tooLate = unknown('The check took too long.', 'Check again later.');
  try {
    return await Promise.race([look(), sleep(timeoutMs, tooLate, { ref: false })]);
  } catch (error) {
    log.warn({ check: id, error }, 'a posture check failed');
    return unknown('The check failed: a service it depends on did not respond.', 'Check again later.');
  }
}

export type PostureReport = ReturnType<typeof postureReport>;

/** Runs the checks, in the order of the page. */
export function postureReport(
  checks: Partial<Record<PostureId, Check>>,
  { log, now, monotonic, timeoutMs }: Pick<CheckSources, 'log' | 'now' | 'monotonic'> & { timeoutMs?: number },
) {
  async function run(): Promise<Posture> {
    const as_of = new Date(now()).toISOString();
    const all = POSTURE_IDS.flatMap((id) => {
      const check = checks[id];
      return check === undefined ? [] : [reported(id, check)];
    });
    return { as_of, checks: await Promise.all(all) };
  }
  async function reported(id: PostureId, check: Check): Promise<PostureCheck> {
    const { status, detail, action } = await examine(id, check, log, timeoutMs);
    return { id, title: check.title, why: check.why, status, detail, action };
  }

  return {
    /** Returns the posture, cached for a few seconds. Takes no longer than the time limit of a check. Never rejects. */
    read: cachedFor(CACHE_MS, run, monotonic),
  };
}

/** `GET /api/security/posture`. */
export function postureRouter(report: PostureReport): Router {
  return readRoutes({
    '/': async (_req, res) => void res.json(await report.read()),
  });
}

/** The posture as terminal output: a line for each check, followed by advice if it did not pass. */
export const printedPosture = ({ checks }: Posture): string =>
  checks
    .flatMap(({ status, title, detail, why, action }) => [
      `${status.padEnd(7)} ${title}: ${detail}\n`,
      ...(status === 'pass' ? [] : [why, action].map((line) => `${' '.repeat(8)}${line}\n`)),
    ])
    .join('');

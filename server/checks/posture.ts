import { setTimeout as sleep } from 'node:timers/promises';
import { POSTURE_IDS, type Posture } from '../../shared/security.ts';
import { cachedFor } from '../caches.ts';
import { readRoutes } from '../http/response.ts';
import type { Log } from '../log.ts';
import { type Check, type CheckId, type CheckSources, type Checks, type Finding, unknown } from './check.ts';
import { keyChecks } from './keys.ts';
import { networkChecks } from './network.ts';
import { providerOperatorChecks } from './openid-provider.ts';
import { operatorChecks } from './operators.ts';
import { signInChecks } from './sign-in.ts';
import { signInLogCheck } from './sign-in-log.ts';
import { softwareChecks, storageChecks } from './storage.ts';
import { upstreamChecks } from './upstreams.ts';

/** All checks. The posture has those in `POSTURE_IDS`; `doctor` runs whatever can be known from outside the service. */
export const allChecks = (sources: CheckSources) =>
  ({
    ...keyChecks(sources),
    ...networkChecks(sources),
    ...upstreamChecks(sources),
    ...operatorChecks(sources),
    ...providerOperatorChecks(sources),
    ...signInChecks(sources),
    ...signInLogCheck(sources),
    ...storageChecks(sources),
    ...softwareChecks(sources),
  }) satisfies Record<CheckId, Check | undefined>;

/** Several viewers of the page share one run. */
const CACHE_MS = 5_000;
const CHECK_TIMEOUT_MS = 5_000;

/** Runs a check. Never rejects: a failure or timeout is `unknown`; failures are logged. */
export async function examine<Id extends CheckId>(
  id: Id,
  { title, why, look }: Check,
  log: Pick<Log, 'warn'>,
  timeoutMs = CHECK_TIMEOUT_MS,
) {
  const tooLate = unknown('The check took too long.', 'Check again later.');
  const failed = (error: unknown): Finding => {
    log.warn({ check: id, error }, 'a posture check failed');
    return unknown('The check failed: a service it depends on did not respond.', 'Check again later.');
  };
  const looking = (async () => look())();
  const finding = await Promise.race([looking, sleep(timeoutMs, tooLate, { ref: false })]).catch(failed);
  return { id, title, why, ...finding };
}

/** `GET /api/security/posture`: the checks, in the order of the page. */
export function postureReport(
  checks: Checks,
  { log, clock }: { log: Pick<Log, 'warn'>; clock: CheckSources['clock'] },
  timeoutMs?: number,
) {
  async function run(): Promise<Posture> {
    const as_of = new Date(clock.now()).toISOString();
    const examined = POSTURE_IDS.flatMap((id) => (checks[id] ? [examine(id, checks[id], log, timeoutMs)] : []));
    // What only a terminal shows may contain addresses.
    return { as_of, checks: (await Promise.all(examined)).map(({ commands, critical, ...check }) => check) };
  }
  /** Cached for a few seconds. Takes no longer than the time limit of a check. Never rejects. */
  const read = cachedFor(CACHE_MS, run, clock.monotonic);
  return { read, router: readRoutes({ '/': async (_req, res) => void res.json(await read()) }) };
}

import type { Config } from '../config/config.ts';
import { ConfigurationError, parseConfig } from '../config/parse-config.ts';
import { unreadVariables } from '../config/unread-variables.ts';
import { type Check, type Finding, lockOut, pass, warn } from '../features/security/posture/check.ts';
import { examine } from '../features/security/posture/posture.ts';
import type { Log } from '../log/log.ts';
import { checksBeforeStart } from './checks-before-start.ts';
import { withDatabase } from './database.ts';
import { outsideChecks } from './outside.ts';

/** A check and what it found. */
export interface Diagnosed extends Finding {
  id: string;
  title: string;
}

export interface Diagnosis {
  /** In the order in which one mends them. */
  checks: readonly Diagnosed[];
  /** 1: something keeps operators out. 2: something is open, or about to fail. 0: neither. */
  exitCode: 0 | 1 | 2;
}

/** For the database and all checks together. */
const TIME_MS = 8_500;

/**
 * Looks at everything that an environment names, and changes nothing: no table, no row, and of services it only reads.
 * @param options.connects false: at the environment alone
 * @param options.from the public address of a running dashboard, to try it from the outside
 * @param options.now milliseconds since the epoch
 */
export async function diagnose(
  env: NodeJS.ProcessEnv,
  options: { connects: boolean; from?: string | undefined; log: Log; now: () => number },
): Promise<Diagnosis> {
  const { connects, from, log, now } = options;
  const { config, findings } = environmentOf(env);
  const deadline = performance.now() + TIME_MS;
  const found: Diagnosed[] = findings.map((finding) => ({ id: 'environment', title: 'The environment', ...finding }));
  const look = (checks: readonly Check<string>[]): Promise<Diagnosed[]> =>
    Promise.all(
      checks.map(async (check) => {
        const { id, title } = check;
        return { id, title, ...(await examine(check, log, deadline - performance.now())) };
      }),
    );
  if (config !== undefined && connects)
    await withDatabase(config, log, now, async ({ finding, storage, state }) => {
      found.push({ id: 'database', title: 'The database', ...finding });
      const { checks, close } = checksBeforeStart({ config, storage, state, log, now });
      found.push(...(await look([...checks, ...(from === undefined ? [] : outsideChecks(config, from))])));
      await close();
    });
  return { checks: found, exitCode: exitCodeOf(found) };
}

function environmentOf(env: NodeJS.ProcessEnv): { config?: Config; findings: Finding[] } {
  try {
    const config = parseConfig(env);
    const unread = unreadVariables(env).map(({ variable, text, action }) => warn(`${variable} ${text}`, action));
    return { config, findings: unread.length > 0 ? unread : [pass('All variables are valid.')] };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    return {
      findings: error.problems.map((problem) =>
        lockOut(`${problem}.`, 'Correct it; see the table of variables in docs/operations.md.'),
      ),
    };
  }
}

function exitCodeOf(found: readonly Diagnosed[]): Diagnosis['exitCode'] {
  const failed = found.filter(({ status }) => status === 'fail');
  if (failed.some(({ locksOut }) => locksOut)) return 1;
  return failed.length > 0 ? 2 : 0;
}

import { parseArgs } from 'node:util';
import { attempt } from '../../shared/json.ts';
import type { Config } from '../config/config.ts';
import { trustExtraAuthorities } from '../config/extra-authorities.ts';
import { ConfigurationError, parseConfig } from '../config/parse-config.ts';
import type { Log } from '../log.ts';
import { type Check, critical, type Finding, pass, warn } from './check.ts';
import { checksBeforeStart, withDatabase } from './doctor-checks.ts';
import { originOf, outsideChecks } from './outside.ts';
import { examine } from './posture.ts';

/** @returns undefined for invalid arguments */
export function parseDoctorArguments(
  args: readonly string[],
): { connects: boolean; json: boolean; from: string | undefined } | undefined {
  const options = { environment: { type: 'boolean' }, from: { type: 'string' }, json: { type: 'boolean' } } as const;
  const parsed = attempt(() => parseArgs({ args: [...args], options }));
  if (parsed === undefined) return undefined;
  const { environment = false, json = false, from: address } = parsed.values;
  const from = address === undefined ? undefined : originOf(address);
  if (address !== undefined && (from === undefined || environment)) return undefined;
  return { connects: !environment, json, from };
}

/** A check and what it found. */
export interface Diagnosed extends Finding {
  id: string;
  title: string;
}

export interface Diagnosis {
  checks: readonly Diagnosed[];
  /** 1: operators cannot sign in. 2: something is open or about to fail. 0: neither. */
  exitCode: 0 | 1 | 2;
}

/** The time limit of the database and all checks together. */
const TIME_MS = 8_500;

/**
 * Checks an environment and everything it refers to, without changing tables, rows or services.
 * @param options.connects false: checks only the environment
 * @param options.from the public address of a running dashboard, to check it from outside
 */
export async function diagnose(
  env: NodeJS.ProcessEnv,
  options: { connects: boolean; from?: string | undefined; log: Log; now: () => number },
): Promise<Diagnosis> {
  const { connects, from, log, now } = options;
  const { config, findings } = readEnvironment(env);
  const deadline = performance.now() + TIME_MS;
  const checks: Diagnosed[] = findings.map((finding) => ({ id: 'environment', title: 'The environment', ...finding }));
  const run = ([id, check]: [string, Check]): Promise<Diagnosed> =>
    examine(id, check, log, deadline - performance.now()).then((finding) => ({ id, title: check.title, ...finding }));
  if (config !== undefined && connects)
    await withDatabase(config, log, now, async ({ finding, state }, storage) => {
      checks.push({ id: 'database', title: 'The database', ...finding });
      const before = checksBeforeStart({ config, storage, state, log, now });
      const all = { ...before.checks, ...(from === undefined ? {} : outsideChecks(config, from)) };
      checks.push(...(await Promise.all(Object.entries(all).map(run))));
      await before.close();
    });
  const failed = checks.filter(({ status }) => status === 'fail');
  return { checks, exitCode: failed.length === 0 ? 0 : failed.some((check) => check.critical) ? 1 : 2 };
}

function readEnvironment(env: NodeJS.ProcessEnv): { config?: Config; findings: Finding[] } {
  try {
    const config = parseConfig(env);
    const unread = trustExtraAuthorities(config, env);
    const findings = unread.map(({ variable, text, action }) => warn(`${variable} ${text}`, action));
    return { config, findings: findings.length > 0 ? findings : [pass('All variables are valid.')] };
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    const action = 'Correct it; see the table of variables in docs/configure.md.';
    return {
      findings: error.problems.map((problem) => critical(problem.endsWith('?') ? problem : `${problem}.`, action)),
    };
  }
}

const STATUS_COLUMN = 9;
const TITLE_COLUMN = 34;
const TEXT_COLUMN = 57;
const WORST_FIRST = ['LOCKED', 'OPEN', 'warning', 'unknown', 'ok'] as const;
const CONCLUSIONS: Record<Diagnosis['exitCode'], string> = {
  0: 'Operators can sign in, and nothing is open.',
  1: 'Operators cannot sign in: see LOCKED.',
  2: 'Operators can sign in, and something is open or about to fail: see OPEN.',
};

/** A table for a terminal of 100 columns: each problem, what to do about it, and the commands to run. */
export function printedDiagnosis({ checks, exitCode }: Diagnosis): string {
  const rows = WORST_FIRST.flatMap((word) => checks.filter((check) => wordFor(check) === word).flatMap(linesOf));
  return [...rows, '', CONCLUSIONS[exitCode]].map((line) => `${line}\n`).join('');
}

/** The complete diagnosis, for programs. */
export const diagnosisAsJson = ({ checks, exitCode }: Diagnosis): string =>
  `${JSON.stringify({ exit_code: exitCode, checks: checks.map(asJson) }, null, 2)}\n`;

const asJson = ({ id, title, status, detail, action, commands = [], critical: locksOut = false }: Diagnosed) => ({
  ...{ id, title, status, locks_out: locksOut, detail },
  action: status === 'pass' ? null : action,
  commands,
});

const wordFor = ({ status, critical: locksOut }: Diagnosed): (typeof WORST_FIRST)[number] =>
  status === 'fail'
    ? locksOut
      ? 'LOCKED'
      : 'OPEN'
    : ({ warn: 'warning', unknown: 'unknown', pass: 'ok' } as const)[status];

function linesOf(check: Diagnosed): string[] {
  const { title, status, detail, action, commands = [] } = check;
  const isFine = status === 'pass';
  const titles = wrapped(title, TITLE_COLUMN - 2);
  const texts = [detail, ...(isFine ? [] : [`→ ${action}`])].flatMap((text) => wrapped(text, TEXT_COLUMN));
  const lines = Array.from({ length: Math.max(texts.length, titles.length) }, (_, index) => {
    const start = (index === 0 ? wordFor(check) : '').padEnd(STATUS_COLUMN);
    return `${start}${(titles[index] ?? '').padEnd(TITLE_COLUMN)}${texts[index] ?? ''}`.trimEnd();
  });
  // Commands are not wrapped, so that they can be copied.
  return [...lines, ...(isFine ? [] : commands.map((command) => `${' '.repeat(STATUS_COLUMN)}$ ${command}`))];
}

const wrapped = (text: string, width: number): string[] =>
  text
    .replace(new RegExp(`(.{1,${width}})(?: |$)`, 'g'), '$1\n')
    .trimEnd()
    .split('\n');

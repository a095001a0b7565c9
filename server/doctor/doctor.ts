import { parseArgs } from 'node:util';
import type { Config } from '../config/config.ts';
import { ConfigurationError, parseConfig } from '../config/parse-config.ts';
import { unreadVariables } from '../config/variables.ts';
import { type Check, type Finding, lockOut, pass, warn } from '../features/security/posture/check.ts';
import { examine } from '../features/security/posture/posture.ts';
import type { Log } from '../log.ts';
import { checksBeforeStart, withDatabase } from './checks.ts';
import { originOf, outsideChecks } from './outside.ts';

/** @returns undefined for arguments that the command does not know */
export function parseDoctorArguments(
  args: readonly string[],
): { connects: boolean; json: boolean; from: string | undefined } | undefined {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: { environment: { type: 'boolean' }, from: { type: 'string' }, json: { type: 'boolean' } },
    });
    const { environment = false, json = false, from: address } = values;
    const from = address === undefined ? undefined : originOf(address);
    if (address !== undefined && (from === undefined || environment)) return undefined;
    return { connects: !environment, json, from };
  } catch {
    return undefined;
  }
}

const WIDTH = 100;
const STATUS_COLUMN = 9;
const TITLE_COLUMN = 34;
const TEXT_WIDTH = WIDTH - STATUS_COLUMN - TITLE_COLUMN;

/** What is worst comes first. */
const KINDS: [word: string, is: (check: Diagnosed) => boolean][] = [
  ['LOCKED', ({ status, locksOut }) => status === 'fail' && locksOut === true],
  ['OPEN', ({ status, locksOut }) => status === 'fail' && locksOut !== true],
  ['warning', ({ status }) => status === 'warn'],
  ['unknown', ({ status }) => status === 'unknown'],
  ['ok', ({ status }) => status === 'pass'],
];
const CONCLUSIONS: Record<Diagnosis['exitCode'], string> = {
  0: 'Nothing keeps operators out, and nothing is open.',
  1: 'Something keeps operators out: see LOCKED.',
  2: 'Operators can sign in, and something is open or about to fail: see OPEN.',
};

/** A table for a terminal of 100 columns: what is wrong, what to do about it, and the line to type. */
export function printedDiagnosis({ checks, exitCode }: Diagnosis): string {
  const rows = KINDS.flatMap(([word, is]) => checks.filter(is).map((check) => row(word, check)));
  return `${rows.join('')}\n${CONCLUSIONS[exitCode]}\n`;
}

/** For programs: the same, complete. */
export const diagnosisAsJson = ({ checks, exitCode }: Diagnosis): string =>
  `${JSON.stringify({ exit_code: exitCode, checks: checks.map(asJson) }, null, 2)}\n`;

const asJson = ({ id, title, status, detail, action, commands = [], locksOut }: Diagnosed) => ({
  id,
  title,
  status,
  locks_out: locksOut === true,
  detail,
  action: status === 'pass' ? null : action,
  commands,
});

function row(word: string, { title, status, detail, action, commands = [] }: Diagnosed): string {
  const texts = status === 'pass' ? wrapped(detail) : [...wrapped(detail), ...wrapped(`→ ${action}`)];
  const titles = wrapped(title, TITLE_COLUMN - 2);
  const lines = Array.from({ length: Math.max(texts.length, titles.length) }, (_, index) => {
    const start = (index === 0 ? word : '').padEnd(STATUS_COLUMN) + (titles[index] ?? '').padEnd(TITLE_COLUMN);
    return (start + (texts[index] ?? '')).trimEnd();
  });
  // Not wrapped: they are copied.
  const typed = status === 'pass' ? [] : commands.map((command) => `${' '.repeat(STATUS_COLUMN)}$ ${command}`);
  return [...lines, ...typed].map((line) => `${line}\n`).join('');
}

function wrapped(text: string, width = TEXT_WIDTH): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > width) {
      lines.push(line);
      line = '';
    }
    line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line];
}

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

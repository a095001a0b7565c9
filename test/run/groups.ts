import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Counts } from './reporter.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** In the order in which they run. */
export const GROUPS = ['unit', 'api', 'contract', 'client', 'e2e'] as const;
export type Group = (typeof GROUPS)[number];

/** A run that hangs is ended: one that leaves something open after its last test, and one that never gets there. */
const MAY_LINGER_MS = 10_000;
const MAY_LAST_MS = 1_500_000;

/** Groups that wait more than they compute run in that many processes side by side, each with a share of the files. */
const PROCESSES: Partial<Record<Group, number>> = { api: 2, e2e: 2 };

/**
 * A browser on a busy machine is late now and then: a test of this group that fails gets one more try, and its first
 * failure is reported. A file that is run by name gets none.
 */
const RETRIES: Partial<Record<Group, number>> = { e2e: 1 };

/** Where no tool may be missing, nothing has a reason to be skipped. */
const FORBIDDING = process.env['CI'] === 'true' ? ['--forbid-pending'] : [];

/** Runs a group; its parts' output is shown one after the other. @returns the sum of the counts */
export async function runGroup(group: Group, args: readonly string[]): Promise<Counts> {
  const files = filesOf(group);
  const processes = PROCESSES[group] ?? 1;
  const counts = await Promise.all(
    Array.from({ length: processes }, (_, part) =>
      runMocha(
        files.filter((_file, index) => index % processes === part),
        ['--retries', String(RETRIES[group] ?? 0), ...args],
        part === 0,
      ),
    ),
  );
  for (const { output } of counts) process.stdout.write(output);
  const sum = (key: keyof Counts): number => counts.reduce((total, one) => total + one[key], 0);
  return { passes: sum('passes'), failures: sum('failures'), pending: sum('pending'), second: sum('second') };
}

/**
 * Runs Mocha on these files in a process of its own.
 * @param files paths relative to the repository
 * @param args further arguments for Mocha
 * @param live whether its output is passed on at once; otherwise it is returned
 * @returns the counts; a process that fails in another way than by a test counts as one failure
 */
export function runMocha(
  files: readonly string[],
  args: readonly string[],
  live = true,
): Promise<Counts & { output: string }> {
  return new Promise((done) => {
    let counts: Counts | undefined;
    let output = '';
    const show = (text: string): void => {
      if (live) process.stdout.write(text);
      else output += text;
    };
    const child = fork(
      'node_modules/mocha/lib/cli/cli.js',
      ['--reporter', 'test/run/reporter.ts', ...FORBIDDING, ...args, ...files],
      {
        cwd: root,
        execArgv: ['--import', 'tsx'],
        env: { ...process.env, TSX_TSCONFIG_PATH: 'test/tsconfig.json' },
        silent: !live,
      },
    );
    child.stdout?.setEncoding('utf8').on('data', show);
    child.stderr?.setEncoding('utf8').on('data', show);
    const end = (reason: string) => {
      show(`  ${reason}\n`);
      child.kill('SIGKILL');
    };
    const tooLong = setTimeout(end, MAY_LAST_MS, `The tests did not end within ${MAY_LAST_MS / 1000} s.`);
    let lingers: NodeJS.Timeout | undefined;
    child.on('message', (message) => {
      counts = message as Counts;
      lingers = setTimeout(
        end,
        MAY_LINGER_MS,
        'The tests ended, but something they left open keeps the process alive.',
      );
    });
    child.once('close', (code) => {
      clearTimeout(tooLong);
      clearTimeout(lingers);
      const { passes = 0, failures = 0, pending = 0, second = 0 } = counts ?? {};
      const failedOtherwise = code !== 0 && failures === 0;
      done({ passes, pending, second, failures: failedOtherwise ? 1 : failures, output });
    });
  });
}

const filesOf = (group: Group): string[] =>
  readdirSync(`${root}test/${group}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `test/${group}/${name}`)
    .sort();

import { fork } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Counts, CountsByFile } from './reporter.ts';

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
 * A browser on a busy machine is late now and then: a file of this group in which something failed is run once more, by
 * itself. Where more files failed than these, it was not the machine.
 */
const SECOND_TRY: readonly Group[] = ['e2e'];
const SECOND_TRY_FILES_MAX = 4;

/** Where no tool may be missing, nothing has a reason to be skipped. */
const FORBIDDING = process.env['CI'] === 'true' ? ['--forbid-pending'] : [];

export interface GroupCounts extends Counts {
  /** Of the passes, those of the second try that the first one had not. */
  second: number;
}

/** Runs a group; its parts' output is shown one after the other. @returns the sum of the counts */
export function runGroup(group: Group, args: readonly string[]): Promise<GroupCounts> {
  return runFiles(filesOf(group), args, PROCESSES[group] ?? 1, SECOND_TRY.includes(group));
}

/**
 * @param processes how many run side by side, each with a share of the files
 * @param secondTry whether files in which something failed are run once more; the second result counts
 * @param show what is given the output
 */
export async function runFiles(
  files: readonly string[],
  args: readonly string[],
  processes: number,
  secondTry: boolean,
  show: (text: string) => void = (text) => process.stdout.write(text),
): Promise<GroupCounts> {
  const late: string[] = [];
  const parts = await Promise.all(
    Array.from({ length: processes }, (_, part) =>
      runMocha(
        files.filter((_file, index) => index % processes === part),
        args,
        part === 0 ? show : (text) => late.push(text),
      ),
    ),
  );
  show(late.join(''));
  const first: CountsByFile = Object.assign({}, ...parts);
  const failed = Object.keys(first).filter((file) => (first[file]?.failures ?? 0) > 0);
  const again = secondTry && failed.length <= SECOND_TRY_FILES_MAX && !failed.includes(OTHERWISE) ? failed : [];
  if (again.length === 0) return { ...sum(first), second: 0 };
  show(`\nOnce more, by themselves:\n${again.map((file) => `  ${relative(root, file)}\n`).join('')}`);
  const second = await runMocha(again, args, show);
  const before = sum(Object.fromEntries(again.map((file) => [file, first[file] ?? NONE])));
  return { ...sum({ ...first, ...second }), second: Math.max(0, sum(second).passes - before.passes) };
}

/** In place of a file's path. */
const OTHERWISE = '';
const NONE: Counts = { passes: 0, failures: 0, pending: 0 };

function sum(counts: CountsByFile): Counts {
  const of = (key: keyof Counts): number => Object.values(counts).reduce((total, one) => total + one[key], 0);
  return { passes: of('passes'), failures: of('failures'), pending: of('pending') };
}

/**
 * Runs Mocha on these files in a process of its own.
 * @param files paths relative to the repository
 * @param args further arguments for Mocha
 * @returns the counts of each file; a process that fails in another way than by a test has one failure of no file
 */
function runMocha(
  files: readonly string[],
  args: readonly string[],
  show: (text: string) => void,
): Promise<CountsByFile> {
  return new Promise((done) => {
    let told: CountsByFile | undefined;
    const child = fork(
      'node_modules/mocha/lib/cli/cli.js',
      ['--reporter', 'test/run/reporter.ts', ...FORBIDDING, ...args, ...files],
      {
        cwd: root,
        execArgv: ['--import', 'tsx'],
        env: {
          ...process.env,
          TSX_TSCONFIG_PATH: 'test/tsconfig.json',
          ...(process.stdout.isTTY && { MOCHA_COLORS: 'true' }),
        },
        silent: true,
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
      told = message as CountsByFile;
      lingers = setTimeout(
        end,
        MAY_LINGER_MS,
        'The tests ended, but something they left open keeps the process alive.',
      );
    });
    child.once('close', (code) => {
      clearTimeout(tooLong);
      clearTimeout(lingers);
      const counts = told ?? {};
      const failedOtherwise = code !== 0 && sum(counts).failures === 0;
      done(failedOtherwise ? { ...counts, [OTHERWISE]: { ...NONE, failures: 1 } } : counts);
    });
  });
}

const filesOf = (group: Group): string[] =>
  readdirSync(`${root}test/${group}`, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.test\.tsx?$/.test(name))
    .map((name) => `test/${group}/${name}`)
    .sort();

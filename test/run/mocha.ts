import { fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Counts, type CountsByFile, NONE } from './reporter.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A run that hangs is ended. */
const MAY_LAST_MS = 2_700_000;

/** Half of the tests mostly wait. Each process may hold a browser and a database server, so there is a limit. */
export const PROCESSES = Math.min(8, availableParallelism() * 2);

/** Where no tool may be missing, nothing has a reason to be skipped. */
const FORBIDDING = process.env['CI'] === 'true' ? ['--forbid-pending'] : [];

/** In place of a file's path. */
const OTHERWISE = '';

export type Show = (text: string) => void;

/**
 * Runs these files by Mocha, in this order, each in the next process that is free.
 * @param args further arguments for Mocha
 * @returns the counts of each file, by its path relative to the repository; a run that fails in another way than by a test has one failure
 *   of no file
 */
export function runMocha(
  files: readonly string[],
  args: readonly string[],
  processes: number,
  show: Show,
): Promise<CountsByFile> {
  return new Promise((done) => {
    let counts: CountsByFile = {};
    const jobs = ['--parallel', '--jobs', String(processes)];
    const child = fork(
      'node_modules/mocha/lib/cli/cli.js',
      [...jobs, '--reporter', 'test/run/reporter.ts', ...FORBIDDING, ...args, ...files],
      {
        cwd: root,
        execArgv: ['--no-experimental-require-module', '--import', 'tsx'],
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
    // Its processes end when they hear no more of it.
    const end = (): void => void child.kill('SIGKILL');
    process.once('exit', end);
    const tooLong = setTimeout(() => {
      show(`  The tests did not end within ${MAY_LAST_MS / 1000} s.\n`);
      end();
    }, MAY_LAST_MS);
    child.on('message', (message) => {
      counts = message as CountsByFile;
    });
    child.once('close', (code) => {
      clearTimeout(tooLong);
      process.off('exit', end);
      const failedOtherwise = code !== 0 && sum(counts).failures === 0;
      done(failedOtherwise ? { ...counts, [OTHERWISE]: { ...NONE, failures: 1 } } : counts);
    });
  });
}

export function sum(counts: CountsByFile): Counts {
  const of = (key: keyof Counts): number => Object.values(counts).reduce((total, one) => total + one[key], 0);
  return { passes: of('passes'), failures: of('failures'), pending: of('pending'), seconds: of('seconds') };
}

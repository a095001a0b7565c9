import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Counts } from './reporter.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** In the order in which they run. */
export const GROUPS = ['unit', 'api', 'contract', 'client', 'e2e'] as const;
export type Group = (typeof GROUPS)[number];

/** A run that hangs is ended: one that leaves something open after its last test, and one that never gets there. */
const MAY_LINGER_MS = 10_000;
const MAY_LAST_MS = 1_500_000;

/** Where no tool may be missing, nothing has a reason to be skipped. */
const FORBIDDING = process.env['CI'] === 'true' ? ['--forbid-pending'] : [];

/**
 * Runs Mocha on these files in a process of its own, its output passed on.
 * @param files paths or patterns relative to the repository
 * @param args further arguments for Mocha
 * @returns the counts; a process that fails in another way than by a test counts as one failure
 */
export function runMocha(files: readonly string[], args: readonly string[]): Promise<Counts> {
  return new Promise((done) => {
    let counts: Counts | undefined;
    const child = fork(
      'node_modules/mocha/lib/cli/cli.js',
      ['--reporter', 'test/run/reporter.ts', ...FORBIDDING, ...args, ...files],
      {
        cwd: root,
        execArgv: ['--import', 'tsx'],
        env: { ...process.env, TSX_TSCONFIG_PATH: 'test/tsconfig.json' },
      },
    );
    const end = (reason: string) => {
      process.stdout.write(`  ${reason}\n`);
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
    child.once('exit', (code) => {
      clearTimeout(tooLong);
      clearTimeout(lingers);
      const failures = counts?.failures ?? 0;
      const failedOtherwise = code !== 0 && failures === 0;
      done({ passes: counts?.passes ?? 0, pending: counts?.pending ?? 0, failures: failedOtherwise ? 1 : failures });
    });
  });
}

export const filesOf = (group: Group): string => `test/${group}/**/*.test.{ts,tsx}`;

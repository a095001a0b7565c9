import { relative } from 'node:path';
import Mocha from 'mocha';

export interface Counts {
  passes: number;
  failures: number;
  pending: number;
  /** That its tests and hooks took. */
  seconds: number;
}

/** What Mocha tells the runner when its last test has ended: the counts of each file, by its path relative to the repository. */
export type CountsByFile = Record<string, Counts>;

export const NONE: Readonly<Counts> = { passes: 0, failures: 0, pending: 0, seconds: 0 };

/** Dots, each failure in full once its file has ended, and every skipped test by name; the counts go to the runner. */
class Reporter extends Mocha.reporters.Dot {
  readonly #skipped: string[] = [];

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const files: CountsByFile = {};
    const of = (runnable: { file?: string }): Counts => {
      const path = runnable.file === undefined ? '' : relative('', runnable.file);
      files[path] ??= { ...NONE };
      return files[path];
    };
    const spent = (runnable: Mocha.Runnable): void => {
      of(runnable).seconds += (runnable.duration ?? 0) / 1000;
    };
    runner.on('test end', spent);
    runner.on('hook end', spent);
    runner.on('pass', (test) => (of(test).passes += 1));
    runner.on('fail', (test, error: { file?: string }) => {
      // What ends the process is a failure of its file, and of no test or hook, which have a type.
      const file = 'type' in test ? undefined : error.file;
      if (file !== undefined) test.title = relative('', file);
      of(file === undefined ? test : {}).failures += 1;
      Mocha.reporters.Base.list([test]);
    });
    runner.on('pending', (test) => {
      of(test).pending += 1;
      this.#skipped.push(test.fullTitle());
    });
    runner.once('end', () => process.send?.(files));
  }

  /** The numbers of the whole run are the runner's to tell. */
  override epilogue(): void {
    for (const title of this.#skipped) process.stdout.write(`  skipped: ${title}\n`);
    for (const test of this.failures) process.stdout.write(`  failed: ${test.fullTitle()}\n`);
  }
}

export default Reporter;

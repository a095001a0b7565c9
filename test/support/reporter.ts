import { readdirSync } from 'node:fs';
import { relative, sep } from 'node:path';
import Mocha from 'mocha';

interface Counts {
  passed: number;
  failed: number;
  skipped: number;
  /** The duration of all tests and hooks. */
  seconds: number;
}

const isSecondTier = (file: string): boolean => /\.all\.test\.tsx?$|^test\/cluster\//.test(file);

/** Prints dots, each failure when its file has ended, and at the end the counts and what was not run. */
class Reporter extends Mocha.reporters.Dot {
  readonly #files = new Set<string>();
  readonly #groups = new Map<string, Counts>();
  readonly #skipped: string[] = [];

  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const addTime = (runnable: Mocha.Runnable): void => {
      this.#countsOf(runnable).seconds += (runnable.duration ?? 0) / 1000;
    };
    // If a process ends between two files, Mocha waits for it until nothing else runs, and then exits with 0.
    const cutShort = (): void => {
      print('\nThe run was cut short: a process of it ended, or had an error after the end of its test.');
      this.#countsOf({}).failed += 1;
      this.epilogue();
      process.exitCode = 1;
    };
    process.once('exit', cutShort);
    runner.once('end', () => process.off('exit', cutShort));
    runner.on('test end', addTime);
    runner.on('hook end', addTime);
    runner.on('pass', (test) => {
      this.#countsOf(test).passed += 1;
    });
    runner.on('pending', (test) => {
      this.#countsOf(test).skipped += 1;
      this.#skipped.push(test.fullTitle());
    });
    runner.on('fail', (test, error: { file?: string }) => {
      // The error has the file if it cannot be loaded, or if its process ends: neither is in a test.
      if (error.file !== undefined) {
        test.file = error.file;
        test.title = pathOf(error.file);
      }
      this.#countsOf(test).failed += 1;
      Mocha.reporters.Base.list([test]);
    });
  }

  override epilogue(): void {
    const groups = [...this.#groups.entries()].sort(([a], [b]) => a.localeCompare(b));
    const all: Counts = { passed: 0, failed: 0, skipped: 0, seconds: 0 };
    print('\n');
    for (const title of this.#skipped) print(`  skipped: ${title}`);
    for (const test of this.failures) print(`  failed: ${test.fullTitle()}`);
    for (const [group, counts] of groups) {
      if (counts.passed + counts.failed + counts.skipped === 0) continue;
      print(`${group}: ${inWords(counts)} (${counts.seconds.toFixed(1)} s of tests)`);
      for (const key of ['passed', 'failed', 'skipped', 'seconds'] as const) all[key] += counts[key];
    }
    const leftOut = testFiles().filter(isSecondTier);
    const isFirstTier = ![...this.#files].some(isSecondTier) && process.env['TEST_DATABASES'] === undefined;
    if (isFirstTier && leftOut.length > 0)
      print(`Left out: ${leftOut.length} files, and MariaDB where SQLite will do; they run with: npm run test:rest`);
    print(inWords(all));
  }

  #countsOf({ file = '' }: { file?: string }): Counts {
    const path = pathOf(file);
    const group = path.split('/')[1] ?? 'elsewhere';
    const counts = this.#groups.get(group) ?? { passed: 0, failed: 0, skipped: 0, seconds: 0 };
    this.#files.add(path);
    this.#groups.set(group, counts);
    return counts;
  }
}

const pathOf = (file: string): string => relative('', file).replaceAll(sep, '/');

const testFiles = (): string[] =>
  readdirSync('test', { recursive: true, encoding: 'utf8' })
    .map((path) => `test/${path.replaceAll(sep, '/')}`)
    .filter((path) => /\.test\.tsx?$/.test(path));

const inWords = ({ passed, failed, skipped }: Counts): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`;

const print = (line: string): void => void process.stdout.write(`${line}\n`);

export default Reporter;

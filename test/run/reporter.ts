import Mocha from 'mocha';

export interface Counts {
  passes: number;
  failures: number;
  pending: number;
}

/** What a process tells the runner when its last test has ended: the counts of each file, by its absolute path. */
export type CountsByFile = Record<string, Counts>;

/** Dots, then failures in full and every skipped test by name; the counts go to the runner that started the process. */
class Reporter extends Mocha.reporters.Dot {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const skipped: string[] = [];
    const files: CountsByFile = {};
    const count = ({ file = '' }: Mocha.Runnable, key: keyof Counts): void => {
      files[file] ??= { passes: 0, failures: 0, pending: 0 };
      files[file][key] += 1;
    };
    runner.on('pass', (test) => count(test, 'passes'));
    runner.on('fail', (test) => count(test, 'failures'));
    runner.on('pending', (test) => {
      count(test, 'pending');
      skipped.push(test.fullTitle());
    });
    runner.once('end', () => {
      for (const title of skipped) process.stdout.write(`  skipped: ${title}\n`);
      process.send?.(files);
    });
  }
}

export default Reporter;

import Mocha from 'mocha';

/** What a group's process tells the runner when its last test has ended. */
export interface Counts {
  passes: number;
  failures: number;
  pending: number;
  /** Of the passes, those that failed first. */
  second: number;
}

/**
 * Dots, then failures in full, every skipped test by name and every test that had a second try, with its first failure;
 * the counts go to the runner that started the process.
 */
class Reporter extends Mocha.reporters.Dot {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const skipped: string[] = [];
    const failedFirst = new Map<string, string>();
    let second = 0;
    runner.on('pending', (test) => skipped.push(test.fullTitle()));
    runner.on('retry', (test, error) => failedFirst.set(test.fullTitle(), error.stack ?? String(error)));
    runner.on('pass', (test) => {
      if (failedFirst.has(test.fullTitle())) second += 1;
    });
    runner.once('end', () => {
      for (const title of skipped) process.stdout.write(`  skipped: ${title}\n`);
      for (const [title, reason] of failedFirst)
        process.stdout.write(`  failed at its first try: ${title}\n${reason}\n`);
      const { passes, failures, pending } = this.stats;
      process.send?.({ passes, failures, pending, second } satisfies Counts);
    });
  }
}

export default Reporter;

import Mocha from 'mocha';

/** What a group's process tells the runner when its last test has ended. */
export interface Counts {
  passes: number;
  failures: number;
  pending: number;
}

/** Dots, then failures in full and every skipped test by name; the counts go to the runner that started the process. */
class Reporter extends Mocha.reporters.Dot {
  constructor(runner: Mocha.Runner, options: Mocha.MochaOptions) {
    super(runner, options);
    const skipped: string[] = [];
    runner.on('pending', (test) => skipped.push(test.fullTitle()));
    runner.once('end', () => {
      for (const title of skipped) process.stdout.write(`  skipped: ${title}\n`);
      const { passes, failures, pending } = this.stats;
      process.send?.({ passes, failures, pending } satisfies Counts);
    });
  }
}

export default Reporter;

import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queueOf } from '../run/files.ts';
import { runMocha, sum } from '../run/mocha.ts';
import { type CountsByFile, NONE } from '../run/reporter.ts';
import { withSecondTry } from '../run/second-try.ts';
import { becomes } from '../support/becomes.ts';
import { startNode } from '../support/processes.ts';

/** The second one remembers in its folder that it has failed. */
const FILES = {
  'passes.test.cjs': `it('passes', () => undefined);`,
  'late.test.cjs': `
    const marker = __dirname + '/failed';
    const { existsSync, writeFileSync } = require('node:fs');
    describe('a suite', () => {
      it('passes', () => undefined);
      it('fails once', () => {
        if (existsSync(marker)) return;
        writeFileSync(marker, '');
        throw new Error('not yet');
      });
    });`,
  'never.test.cjs': `
    it('fails each time', () => new Promise(() => undefined)).timeout(20);`,
  'hook.test.cjs': `
    describe('a suite that cannot begin', () => {
      before(() => {
        throw new Error('no start');
      });
      it('is not reached', () => undefined);
    });`,
  'hangs.test.cjs': `
    it('never ends', () => new Promise(() => {
      const { writeFileSync } = require('node:fs');
      process.once('exit', () => writeFileSync(__dirname + '/ended', ''));
      writeFileSync(__dirname + '/runs', '');
    }));`,
  'warns.test.cjs': `
    it('piles up listeners', () => new Promise(() => {
      for (let index = 0; index < 11; index += 1) process.stdin.once('pause', () => undefined);
    })).timeout(5_000);`,
  'ends.test.cjs': `it('ends the process', () => process.exit(3));`,
};

describe('the test runner', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'suites-'));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  /** @returns passed, failed, passed only at the second try; and what was shown */
  async function run(names: readonly string[]): Promise<{ counts: number[]; shown: string }> {
    let shown = '';
    const files = names.map((name) => join(folder, name));
    const show = (text: string): void => {
      shown += text;
    };
    const first = await runMocha(files, [], 2, show);
    const { counts, second } = await withSecondTry(first, () => true, [], show);
    const { passes, failures } = sum(counts);
    return { counts: [passes, failures, second], shown };
  }

  it('runs what failed once more, names the files, says why they failed first and counts what passes then', async () => {
    const names = ['passes.test.cjs', 'late.test.cjs', 'never.test.cjs', 'hook.test.cjs'];
    const { counts, shown } = await run(names);
    assert.deepEqual(counts, [3, 2, 1]);
    const [first = '', again = ''] = shown.split('Once more, by themselves:');
    assert.match(first, /fails once:\s+Error: not yet/);
    for (const name of names.slice(1)) assert.ok(again.includes(`${name}\n`), again);
    assert.doesNotMatch(again, /passes\.test\.cjs|not yet/);
  });

  it('counts a process that ends before its tests as failed, names its file and gives no second try', async () => {
    const { counts, shown } = await run(['passes.test.cjs', 'ends.test.cjs', 'late.test.cjs']);
    assert.deepEqual(counts, [2, 2, 0]);
    assert.match(shown, /ends\.test\.cjs:\s+Uncaught Error: .*terminated/);
  });

  it('fails a test in which Node warns', async () => {
    const { counts, shown } = await run(['passes.test.cjs', 'warns.test.cjs']);
    assert.deepEqual(counts, [1, 1, 0]);
    assert.match(shown, /Uncaught MaxListenersExceededWarning/);
  });

  it('takes along what it started when it is told to end', async () => {
    const running = startNode(['--import', 'tsx', 'test/run.ts', join(folder, 'hangs.test.cjs')]);
    const done = (name: string) => (): boolean => existsSync(join(folder, name));
    await becomes(done('runs'), true, 'the test runs', 30_000);
    await running.stop('SIGTERM');
    await becomes(done('ended'), true);
  });

  it('gives no second try where none is meant to be, or more than four files failed: it was not the machine', async () => {
    const failed = (files: number): CountsByFile =>
      Object.fromEntries(Array.from({ length: files }, (_, index) => [`${index}`, { ...NONE, failures: 1 }]));
    const show = (): void => assert.fail('nothing is run');
    for (const [first, isLate] of [
      [failed(1), false],
      [failed(5), true],
    ] as const)
      assert.deepEqual(await withSecondTry(first, () => isLate, [], show), { counts: first, second: 0 });
  });

  it('begins with the files that take longest, with a share of browser files all the time, and knows what is usual', () => {
    const times = {
      'test/e2e/a.test.ts': 30,
      'test/e2e/b.test.ts': 20,
      'test/api/c.test.ts': 6,
      'test/api/d.test.ts': 9,
    };
    assert.deepEqual(queueOf([...Object.keys(times), 'test/unit/new.test.ts', 'test/e2e/new.test.ts'], times), [
      'test/e2e/a.test.ts',
      'test/api/d.test.ts',
      'test/e2e/b.test.ts',
      'test/api/c.test.ts',
      'test/e2e/new.test.ts',
      'test/unit/new.test.ts',
    ]);
  });
});

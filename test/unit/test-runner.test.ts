import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queueOf } from '../run/files.ts';
import { runMocha, sum } from '../run/mocha.ts';
import { becomes } from '../support/becomes.ts';
import { startNode } from '../support/processes.ts';

const FILES = {
  'passes.test.cjs': `it('passes', () => undefined);`,
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
  /** @returns passed and failed, and what was shown */
  async function run(names: readonly string[]): Promise<{ counts: number[]; shown: string }> {
    let shown = '';
    const files = names.map((name) => join(folder, name));
    const show = (text: string): void => {
      shown += text;
    };
    const { passes, failures } = sum(await runMocha(files, [], 2, show));
    return { counts: [passes, failures], shown };
  }

  it('counts what passes and what fails, a hook among it, and says why it failed', async () => {
    const { counts, shown } = await run(['passes.test.cjs', 'never.test.cjs', 'hook.test.cjs']);
    assert.deepEqual(counts, [1, 2]);
    assert.match(shown, /fails each time:\s+Error: Timeout/);
    assert.match(shown, /before all.*:\s+Error: no start/s);
  });

  it('counts a process that ends before its tests as failed, and names its file', async () => {
    const { counts, shown } = await run(['passes.test.cjs', 'ends.test.cjs']);
    assert.deepEqual(counts, [1, 1]);
    assert.match(shown, /ends\.test\.cjs:\s+Uncaught Error: .*terminated/);
  });

  it('fails a test in which Node warns', async () => {
    const { counts, shown } = await run(['passes.test.cjs', 'warns.test.cjs']);
    assert.deepEqual(counts, [1, 1]);
    assert.match(shown, /Uncaught MaxListenersExceededWarning/);
  });

  it('takes along what it started when it is told to end', async () => {
    const running = startNode(['test/run.ts', join(folder, 'hangs.test.cjs')]);
    const done = (name: string) => (): boolean => existsSync(join(folder, name));
    await becomes(done('runs'), true, 'the test runs', 30_000);
    await running.stop('SIGTERM');
    await becomes(done('ended'), true);
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

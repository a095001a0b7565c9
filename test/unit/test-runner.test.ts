import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runFiles } from '../run/groups.ts';

/** Each run by Mocha in a process of its own; the second one remembers in its folder that it has failed. */
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
    it('fails each time', () => {
      throw new Error('never');
    });`,
  'hook.test.cjs': `
    describe('a suite that cannot begin', () => {
      before(() => {
        throw new Error('no start');
      });
      it('is not reached', () => undefined);
    });`,
  'ends.test.cjs': `it('ends the process', () => process.exit(3));`,
};

describe('the test runner', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'suites-'));
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const run = (names: readonly (keyof typeof FILES)[], secondTry: boolean) =>
    runFiles(
      names.map((name) => join(folder, name)),
      [],
      1,
      secondTry,
      () => undefined,
    );

  it('counts what passes when its file is run once more, and what fails again', async () => {
    assert.deepEqual(await run(['passes.test.cjs', 'late.test.cjs', 'never.test.cjs'], true), {
      passes: 3,
      failures: 1,
      pending: 0,
      second: 1,
    });
  });

  it('gives no second try where none is meant to be', async () => {
    assert.deepEqual(await run(['passes.test.cjs', 'late.test.cjs'], false), {
      passes: 2,
      failures: 1,
      pending: 0,
      second: 0,
    });
  });

  it('counts a suite that cannot begin twice as failed', async () => {
    assert.deepEqual(await run(['passes.test.cjs', 'hook.test.cjs'], true), {
      passes: 1,
      failures: 1,
      pending: 0,
      second: 0,
    });
  });

  it('counts a process that ends before its tests as failed, without a second try', async () => {
    assert.deepEqual(await run(['passes.test.cjs', 'ends.test.cjs', 'late.test.cjs'], true), {
      passes: 0,
      failures: 1,
      pending: 0,
      second: 0,
    });
  });
});

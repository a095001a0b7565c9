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
  /** @returns passed, failed, passed only at the second try; and what was shown */
  async function run(names: readonly string[], secondTry: boolean): Promise<{ counts: number[]; shown: string }> {
    let shown = '';
    const files = names.map((name) => join(folder, name));
    const { passes, failures, second } = await runFiles(files, [], 1, secondTry, (text) => {
      shown += text;
    });
    return { counts: [passes, failures, second], shown };
  }
  const countsOf = async (names: readonly string[], secondTry: boolean) => (await run(names, secondTry)).counts;

  it('counts what passes when its file is run once more, names the file and says why it failed first', async () => {
    const { counts, shown } = await run(['passes.test.cjs', 'late.test.cjs', 'never.test.cjs'], true);
    assert.deepEqual(counts, [3, 1, 1]);
    const [first = '', again = ''] = shown.split('Once more, by themselves:');
    assert.match(first, /fails once:\s+Error: not yet/);
    for (const name of ['late.test.cjs', 'never.test.cjs']) assert.ok(again.includes(`${name}\n`), again);
    assert.doesNotMatch(again, /passes\.test\.cjs|not yet/);
  });

  it('gives no second try where none is intended', async () => {
    assert.deepEqual(await countsOf(['passes.test.cjs', 'late.test.cjs'], false), [2, 1, 0]);
  });

  it('gives none where more than four files failed: it was not the machine', async () => {
    const names = Array.from({ length: 4 }, (_, index) => `never-${index}.test.cjs`);
    for (const name of names) writeFileSync(join(folder, name), FILES['never.test.cjs']);
    assert.deepEqual(await countsOf(['late.test.cjs', ...names], true), [1, 5, 0]);
  });

  it('counts a suite that cannot begin twice as failed', async () => {
    assert.deepEqual(await countsOf(['passes.test.cjs', 'hook.test.cjs'], true), [1, 1, 0]);
  });

  it('counts a process that ends before its tests as failed, without a second try', async () => {
    assert.deepEqual(await countsOf(['passes.test.cjs', 'ends.test.cjs', 'late.test.cjs'], true), [0, 1, 0]);
  });
});

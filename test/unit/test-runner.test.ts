import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runMocha } from '../run/groups.ts';

/** Run by Mocha in a process of its own. */
const SUITE = `
let tries = 0;
describe('a suite', () => {
  it('passes', () => undefined);
  it('fails once', () => {
    if (++tries === 1) throw new Error('not yet');
  });
  it('fails each time', () => {
    throw new Error('never');
  });
});
`;

describe('the test runner', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'suite-'));
    writeFileSync(join(folder, 'suite.test.cjs'), SUITE);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));
  const run = (...args: string[]) => runMocha([join(folder, 'suite.test.cjs')], args, false);

  it('counts a test that passes at its second try, names it and says why it failed first', async () => {
    const { output, ...counts } = await run('--retries', '1');
    assert.deepEqual(counts, { passes: 2, failures: 1, pending: 0, second: 1 });
    assert.match(output, /failed at its first try: a suite fails once\n.*not yet/);
    assert.match(output, /Error: never/);
  });

  it('gives no second try where none is asked for', async () => {
    const { output, ...counts } = await run();
    assert.deepEqual(counts, { passes: 1, failures: 2, pending: 0, second: 0 });
    assert.doesNotMatch(output, /first try/);
  });
});

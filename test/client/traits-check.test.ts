import assert from 'node:assert/strict';
import { checkFile } from '../../client/features/identities/import/check-file.ts';
import { identityChecker } from '../../client/features/identities/import/check-identity.ts';
import { inspectIdentities } from '../../client/features/identities/import/inspect-identities.ts';
import { traitsCheck } from '../../client/features/identities/traits-check.ts';
import { threadWorker } from '../support/thread-worker.ts';

const MODULE = new URL('../../client/features/identities/schema-check-worker.ts', import.meta.url).href;
/** With 40 letters it takes a year. */
const HOSTILE = { properties: { traits: { properties: { a: { type: 'string', pattern: '^(a+)+$' } } } } };
const LETTERS = `${'a'.repeat(40)}!`;
const traits = (a: unknown): string => JSON.stringify({ a });

describe('the check of traits in a worker', () => {
  let started = 0;
  const start = () => {
    started += 1;
    return threadWorker(MODULE);
  };

  it('answers for each in order', async () => {
    const check = traitsCheck(start);
    const found = await check(HOSTILE, [traits('aa'), traits(1), traits('b')]);
    assert.deepEqual(
      found.map((objections) => objections?.map(({ path, words }) => `${path.join('.')} ${words}`)),
      [[], ['traits.a must be text'], ['traits.a does not match the pattern ^(a+)+$']],
    );
  });

  it('stops at a pattern that takes too long, still checks all the others, and goes on', async () => {
    started = 0;
    const check = traitsCheck(start);
    const found = await check(HOSTILE, [traits('aa'), traits(LETTERS), traits('b')]);
    assert.deepEqual(
      found.map((objections) => objections?.length),
      [0, undefined, 1],
    );
    // One for the batch, one for the items after it, one for the second try of the late item, one for the item after
    // that.
    assert.equal(started, 4);
    assert.deepEqual(await check(HOSTILE, [traits('aa')]), [[]]);
  });

  it('gives a schema up after the third of a minute, and looks at it again later', async () => {
    let now = 0;
    started = 0;
    const check = traitsCheck(start, () => now);
    const all = await check(HOSTILE, Array(1_000).fill(traits(LETTERS)));
    assert.deepEqual(new Set(all), new Set([undefined]));
    assert.equal(all.length, 1_000);
    assert.equal(started, 1 + 3 * 2);
    assert.deepEqual(await check(HOSTILE, [traits('aa')]), [undefined]);
    assert.deepEqual(await check({ type: 'object' }, [traits('aa')]), [[]]);
    now = 60_000;
    assert.deepEqual(await check(HOSTILE, [traits('aa')]), [[]]);
  });

  it('asks once more before it calls one late', async () => {
    const silent = threadWorker('data:text/javascript,self.onmessage = () => {}; postMessage("ready");');
    const workers = [() => silent, start];
    const check = traitsCheck(() => (workers.shift() ?? start)());
    assert.deepEqual(await check(HOSTILE, [traits('aa')]), [[]]);
  });

  it('checks nothing where no worker starts, or one fails, and tries it again', async () => {
    const failing = threadWorker('data:text/javascript,throw new Error("lost")');
    const workers = [
      () => {
        throw new Error('refused');
      },
      () => failing,
      start,
    ];
    const check = traitsCheck(() => (workers.shift() ?? start)());
    assert.deepEqual(await check(HOSTILE, [traits('aa')]), [undefined]);
    assert.deepEqual(await check(HOSTILE, [traits('aa')]), [undefined]);
    assert.deepEqual(await check(HOSTILE, [traits('aa')]), [[]]);
  });

  it('does not hold up the rest of a file, and counts identities that were not checked', async () => {
    const lines = Array.from({ length: 2_000 }, (_, index) =>
      JSON.stringify({ traits: { a: index % 2 === 0 ? 'aa' : LETTERS } }),
    );
    const checker = identityChecker(
      { schemas: [{ id: 'person', schema: HOSTILE }], complete: true },
      'person',
      traitsCheck(start),
    );
    const file = new Blob([lines.join('\n')]);
    const { total, invalid, notCheckedHere } = await inspectIdentities(checkFile(file, { format: 'ndjson' }, checker));
    assert.deepEqual([total, invalid], [2_000, 0]);
    assert.ok(notCheckedHere >= 1_000 && notCheckedHere < 2_000, String(notCheckedHere));
  });
});

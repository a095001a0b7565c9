import assert from 'node:assert/strict';
import { becomes } from '../support/becomes.ts';

describe('what a test expects of a page', () => {
  it('may become true a little later, even after a failed reading', async () => {
    const readings = [() => assert.fail('no such element'), () => 1, () => 2];
    await becomes(() => readings.shift()?.(), 2);
    assert.deepEqual(readings, []);
    const texts = [null, 'Saving', 'Saved at noon'];
    await becomes(async () => texts.shift(), /^Saved/);
    assert.deepEqual(texts, []);
  });

  it('fails with the last reading if it never becomes true', async () => {
    await assert.rejects(
      becomes(() => ({ a: 1 }), { a: '1' }, 'the number', 60),
      { message: /the number/ },
    );
    await assert.rejects(
      becomes(() => null, /./, undefined, 60),
      { name: 'AssertionError', actual: '' },
    );
    await assert.rejects(
      becomes(() => Promise.reject(new Error('gone')), 1, undefined, 60),
      { message: 'gone' },
    );
  });
});

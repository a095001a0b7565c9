import assert from 'node:assert/strict';
import { readWritten, writtenTime } from '../../client/format/written-time.ts';

describe('a day or a time as it is written', () => {
  it('stands as in the rest of the app', () => {
    assert.equal(writtenTime('2026-11-22'), '22 Nov 2026');
    assert.equal(writtenTime('2026-09-01'), '1 Sept 2026');
    assert.equal(writtenTime('2026-11-22T09:05'), '22 Nov 2026, 09:05');
    assert.equal(writtenTime('2026-11-22T09:05:30.000'), '22 Nov 2026, 09:05:30');
    assert.equal(writtenTime('2026-11-22T09:05:30.250'), '22 Nov 2026, 09:05:30.250');
    assert.equal(writtenTime(''), '');
    assert.equal(writtenTime('2026-13-01'), '2026-13-01');
  });

  for (const text of ['22 Nov 2026', ' 22  november 2026 ', '22. Nov. 2026', '2026-11-22'])
    it(`is read as a day: ${text}`, () => assert.deepEqual(readWritten(text, false), { value: '2026-11-22' }));

  for (const [text, value] of [
    ['22 Nov 2026, 09:30', '2026-11-22T09:30'],
    ['22 Nov 2026 9:30', '2026-11-22T09:30'],
    ['22 Nov 2026', '2026-11-22T00:00'],
    ['2026-11-22T09:30', '2026-11-22T09:30'],
    ['2026-11-22 23:59:59', '2026-11-22T23:59:59'],
    ['2026-11-22T09:30:15.250', '2026-11-22T09:30:15.250'],
    ['29 Feb 2028, 00:00', '2028-02-29T00:00'],
  ] as const)
    it(`is read as a time: ${text}`, () => assert.deepEqual(readWritten(text, true), { value }));

  it('is read back as it was written', () => {
    for (let month = 1; month <= 12; month += 1) {
      const value = `2026-${String(month).padStart(2, '0')}-09`;
      assert.deepEqual(readWritten(writtenTime(value), false), { value });
      const time = `${value}T08:07:06.500`;
      assert.deepEqual(readWritten(writtenTime(time), true), { value: time });
    }
  });

  it('is none where nothing is written', () => assert.deepEqual(readWritten('  ', true), { value: '' }));

  for (const [text, withTime, problem] of [
    ['11/22/2026', false, 'This is no date. An example is 31 Jan 2026.'],
    ['22 Nov', false, 'This is no date. An example is 31 Jan 2026.'],
    ['22 Nov 202', false, 'This is no date. An example is 31 Jan 2026.'],
    ['22 Nonsense 2026', false, 'This is no date. An example is 31 Jan 2026.'],
    ['22 Nov 2026, 09:30', false, 'This is no date. An example is 31 Jan 2026.'],
    ['yesterday', true, 'This is no time. An example is 31 Jan 2026, 09:30.'],
    ['30 Feb 2026', false, 'There is no 30 Feb 2026.'],
    ['2026-02-29', false, 'There is no 29 Feb 2026.'],
    ['2026-13-01', false, 'There is no 1 13. 2026.'],
    ['0 Jan 2026', true, 'There is no 0 Jan 2026.'],
    ['22 Nov 2026, 24:00', true, 'There is no time 24:00. An example is 31 Jan 2026, 09:30.'],
    ['22 Nov 2026, 9', true, 'There is no time 9. An example is 31 Jan 2026, 09:30.'],
  ] as const)
    it(`is wrong in words: ${text}`, () => assert.deepEqual(readWritten(text, withTime), { problem }));
});

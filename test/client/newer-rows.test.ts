import assert from 'node:assert/strict';
import { formatNewer, newerRows, type RowMark } from '../../client/resource/live/newer-rows.ts';

const NOUN = { one: 'session', many: 'sessions' };
/** Newest first; the number is the time, too. */
const marks = (...numbers: number[]): RowMark[] => numbers.map((number) => ({ id: `id-${number}`, at: number }));
const rows = (read: RowMark[], now: RowMark[], more = false) => newerRows(read, { marks: now, more });

describe('what came since a list was read', () => {
  it('is what stands before the first row that was read', () => {
    assert.deepEqual(rows(marks(3, 2, 1), marks(6, 5, 4, 3, 2)), { count: 3, isLeast: false });
    assert.deepEqual(rows(marks(3, 2, 1), marks(3, 2, 1)), { count: 0, isLeast: false });
    assert.deepEqual(rows(marks(3), []), { count: 0, isLeast: false });
  });

  it('is all of a list that was empty', () => {
    assert.deepEqual(rows([], marks(2, 1)), { count: 2, isLeast: false });
  });

  it('may be more than was asked for', () => {
    assert.deepEqual(rows(marks(1), marks(9, 8, 7), true), { count: 3, isLeast: true });
    assert.deepEqual(rows(marks(6), marks(9, 8, 7), false), { count: 3, isLeast: false });
  });

  it('is not an older row that follows one that was deleted', () => {
    assert.deepEqual(rows(marks(9, 8), marks(7, 6), true), { count: 0, isLeast: false });
    assert.deepEqual(rows(marks(9, 8), marks(10, 7, 6), true), { count: 1, isLeast: false });
  });

  it('is also a row of the same time, or of none', () => {
    const same = { id: 'other', at: 3 };
    assert.deepEqual(rows(marks(3, 2), [same, ...marks(3, 2)]), { count: 1, isLeast: false });
    assert.deepEqual(rows(marks(3, 2), [{ id: 'x', at: Number.NaN }, ...marks(3)]), { count: 1, isLeast: false });
  });

  it('is said in words', () => {
    assert.equal(formatNewer(1, false, NOUN), '1 new session');
    assert.equal(formatNewer(3, false, NOUN), '3 new sessions');
    assert.equal(formatNewer(50, true, NOUN), '50+ new sessions');
    assert.equal(formatNewer(1, true, NOUN), '1+ new sessions');
  });
});

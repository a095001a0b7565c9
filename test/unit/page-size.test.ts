import assert from 'node:assert/strict';
import { PAGE_SIZES, pageSize } from '../../server/search-index/list-sync.ts';

const KB = 1024;

describe('the size of the next page of a list', () => {
  /** The sizes asked for, if each item has so many bytes. */
  function sizes(bytesOf: number): number[] {
    const size = pageSize(PAGE_SIZES);
    return Array.from({ length: 4 }, () => {
      const { rows } = size;
      size.follow({ rows, bytes: 2 + rows * bytesOf });
      return rows;
    });
  }

  it('is small at first, and then as large as it may be', () => {
    assert.deepEqual(sizes(800), [50, 250, 250, 250]);
  });

  it('is a megabyte at most, while that is worth a page', () => {
    assert.deepEqual(sizes(10 * KB), [50, 102, 102, 102]);
    assert.deepEqual(sizes(1_000 * KB), [50, 25, 25, 25]);
  });

  it('is halved where a page took too long, and never as large again', () => {
    const size = pageSize(PAGE_SIZES);
    size.follow({ rows: 50, bytes: 50_000 });
    const asked = [size.rows];
    while (size.halve()) asked.push(size.rows);
    assert.deepEqual(asked, [250, 125, 62, 31, 25]);
    size.follow({ rows: 25, bytes: 25_000 });
    assert.equal(size.rows, 25);
  });
});

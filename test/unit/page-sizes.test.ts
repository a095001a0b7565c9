import assert from 'node:assert/strict';
import { mostPages, pageSizes } from '../../server/features/activity/page-sizes.ts';

/** The sizes that are asked for in a walk through a list whose items have so many bytes. */
function walk(
  limits: { most: number; items: number },
  bytesOfItem: number,
  given = (asked: number) => asked,
): number[] {
  const sizes = pageSizes(limits);
  const asked: number[] = [];
  for (let size: number | undefined = sizes.first; size !== undefined && asked.length < mostPages(limits); ) {
    asked.push(size);
    const items = Array.from({ length: given(size) }, () => ({}));
    size = sizes.next({ items, bytes: 2 + items.length * bytesOfItem, nextPageToken: 'next', totalCount: undefined });
  }
  return asked;
}

describe('the size of a page', () => {
  const IDENTITIES = { most: 500, items: 20_000 };
  const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

  it('begins small, grows to the most there may be, and ends with as many items as were wanted', () => {
    const sizes = walk(IDENTITIES, 800);
    assert.deepEqual([sizes[0], sizes[1], sizes.at(-1)], [50, 500, 450]);
    assert.equal(sum(sizes), 20_000);
  });

  it('shrinks with large items to a megabyte', () => {
    const [first, ...others] = walk(IDENTITIES, 5 * 1024);
    assert.equal(first, 50);
    assert.equal(others[0], 204);
    assert.equal(sum([first ?? 0, ...others]), 20_000);
  });

  it('goes no lower than 50 items', () => {
    assert.ok(walk(IDENTITIES, 1_000_000).every((size) => size === 50));
  });

  it('follows a list that gives an empty page, or fewer items than were asked for, only so far', () => {
    assert.equal(walk(IDENTITIES, 800, () => 0).length, 400);
    assert.equal(walk(IDENTITIES, 800, () => 1).length, 400);
  });

  it('stops when a list gives more than was asked for', () => {
    assert.equal(walk(IDENTITIES, 800, () => 10_000).length, 2);
  });

  it('is never more than the list allows', () => {
    assert.deepEqual(walk({ most: 20, items: 60 }, 10), [20, 20, 20]);
  });
});

import assert from 'node:assert/strict';
import { nextCursor, type PageCursor, pageParams } from '../../client/list/cursor-list.ts';
import { formatPage } from '../../client/list/pager.tsx';
import { keyAction } from '../../client/list/selection.ts';

const NAME = { one: 'entity', many: 'entities' };

const shownPage = (rows: number, next?: string, pages: PageCursor[] = []) => ({
  pages,
  page: { rows: Array.from({ length: rows }), next },
});

describe('the page of a list', () => {
  it('is described with rows counted from one and the age of the total', () => {
    assert.equal(formatPage(shownPage(25), NAME, false), 'Page 1, rows 1–25');
    const third = shownPage(25, 'c', [
      { token: 'a', before: 25 },
      { token: 'b', before: 50 },
    ]);
    assert.equal(formatPage(third, NAME, false), 'Page 3, rows 51–75');
    assert.equal(formatPage(shownPage(1, undefined, [{ token: 'a', before: 1250 }]), NAME, false), 'Page 2, row 1,251');
  });

  it('says that it is empty', () => {
    assert.equal(formatPage(shownPage(0), NAME, false), 'No entities');
    assert.equal(formatPage(shownPage(0, undefined, [{ token: 'a', before: 25 }]), NAME, false), 'Page 2, no entities');
  });

  it('is described with the number of matches in a search', () => {
    const found = (matched: number | null, next?: string) => {
      const { pages, page } = shownPage(25, next);
      return { pages, page: { ...page, matches: { total: matched, complete: true, read: 30_000, asOf: null } } };
    };
    assert.equal(formatPage(found(551, 'b'), NAME, true), 'Page 1, rows 1–25, 551 match');
    assert.equal(formatPage(found(null, 'b'), NAME, true), 'Page 1, rows 1–25, more than 10,000 match');
    assert.equal(formatPage(found(25), NAME, true), '25 entities match');
  });

  it('has a cursor for the next page, if there is one', () => {
    const shown = shownPage(20, 'c', [{ token: 'b', before: 25 }]);
    assert.deepEqual(nextCursor(shown), { token: 'c', before: 45 });
    assert.equal(nextCursor(shownPage(25)), undefined);
    assert.equal(nextCursor(shownPage(25, 'b', [{ token: 'b', before: 25 }])), undefined, 'a circle');
  });

  it('is requested with the search, the size and the latest cursor', () => {
    const walked = [
      { token: 'a', before: 50 },
      { token: 'b', before: 100 },
    ];
    assert.deepEqual(pageParams({ page_size: 50, name: 'x' }, walked), { name: 'x', pageSize: 50, token: 'b' });
    assert.deepEqual(pageParams({}, []), { pageSize: 25, token: undefined });
  });
});

describe('keys in a table', () => {
  const acted: string[] = [];
  const rows = {
    current: 3,
    count: 10,
    focus: (index: number) => acted.push(`focus ${index}`),
    extendTo: (index: number) => acted.push(`extend ${index}`),
    open: (index: number) => acted.push(`open ${index}`),
    toggle: (index: number) => acted.push(`toggle ${index}`),
    next: () => acted.push('next'),
  };
  const press = (key: string, onRow = true): string | undefined => {
    acted.length = 0;
    keyAction(key, onRow, rows)?.();
    return acted[0];
  };

  it('focus, select, open and turn pages', () => {
    for (const [key, act] of [
      ['j', 'focus 4'],
      ['ArrowUp', 'focus 2'],
      ['Shift+ArrowDown', 'extend 4'],
      ['End', 'focus 9'],
      ['x', 'toggle 3'],
      ['Enter', 'open 3'],
      ['n', 'next'],
      ['g', undefined],
    ] as const)
      assert.equal(press(key), act, key);
  });

  it('leave Enter and Space to a focused link, checkbox or button', () => {
    assert.equal(press('Enter', false), undefined);
    assert.equal(press(' ', false), undefined);
    assert.equal(press('j', false), 'focus 4');
  });
});

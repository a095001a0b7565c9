import assert from 'node:assert/strict';
import { formatPage, formatReading, formatTotal } from '../../client/resource/list/format-page.ts';
import { type PageStep, pageParams } from '../../client/resource/list/page-step.ts';
import { nextStep, type PageParams, sameList } from '../../client/resource/list/shown-page.ts';
import { keyAction } from '../../client/resource/list/use-row-keys.ts';

const NAME = { one: 'entity', many: 'entities' };

const shownPage = (rows: number, next?: string, pages: PageStep[] = []) => ({
  pages,
  page: { rows: Array.from({ length: rows }), next },
});

describe('the place in a list, in words', () => {
  it('counts rows from one and says how old the total is', () => {
    assert.equal(formatPage(shownPage(25), NAME, false), 'Page 1, rows 1–25');
    const third = shownPage(25, 'c', [
      { token: 'a', before: 25 },
      { token: 'b', before: 50 },
    ]);
    assert.equal(formatPage(third, NAME, false), 'Page 3, rows 51–75');
    assert.equal(formatPage(shownPage(1, undefined, [{ token: 'a', before: 1250 }]), NAME, false), 'Page 2, row 1,251');
    const total = { total: 12_345, as_of: '2026-11-21T10:00:00.000Z' };
    const at = (seconds: number) => formatTotal(total, Date.parse(total.as_of) + seconds * 1_000);
    assert.equal(at(20), '12,345 in total, counted 20 s ago');
    assert.equal(at(600), '12,345 in total, counted 10 min ago');
    assert.equal(at(-3), '12,345 in total, counted just now');
  });

  it('of a search says how many match', () => {
    const found = (matched: number | null, next?: string) => {
      const { pages, page } = shownPage(25, next);
      return { pages, page: { ...page, matches: { total: matched, complete: true, read: 30_000, asOf: null } } };
    };
    assert.equal(formatPage(found(551, 'b'), NAME, true), 'Page 1, rows 1–25, 551 match');
    assert.equal(formatPage(found(null, 'b'), NAME, true), 'Page 1, rows 1–25, more than 10,000 match');
    assert.equal(formatPage(found(25), NAME, true), '25 entities match');
    assert.equal(formatPage(found(551, 'b'), NAME, false), 'Page 1, rows 1–25');
  });
});

describe('the next page of a list', () => {
  it('begins where this one ends', () => {
    const shown = shownPage(20, 'c', [{ token: 'b', before: 25 }]);
    assert.deepEqual(nextStep(shown), { token: 'c', before: 45 });
  });
});

describe('the parameters of a page', () => {
  it('are what is searched for, the size and the last cursor of the walk', () => {
    const walked = [
      { token: 'a', before: 50 },
      { token: 'b', before: 100 },
    ];
    assert.deepEqual(pageParams({ page_size: 50, name: 'x' }, walked), { name: 'x', pageSize: 50, token: 'b' });
    assert.deepEqual(pageParams({}, []), { pageSize: 25, token: undefined });
  });

  const params: PageParams & { identifier: string } = {
    pageSize: 25,
    identifier: 'a@example.org',
    token: undefined,
  };
  const isSame = (other: Partial<typeof params>) => sameList(params, { ...params, ...other } as PageParams);
});

describe('keys in the table', () => {
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

  for (const [key, act] of [
    ['j', 'focus 4'],
    ['ArrowUp', 'focus 2'],
    ['Shift+ArrowDown', 'extend 4'],
    ['Shift+ArrowUp', 'extend 2'],
    ['Home', 'focus 0'],
    ['End', 'focus 9'],
    ['x', 'toggle 3'],
    [' ', 'toggle 3'],
    ['Enter', 'open 3'],
    ['n', 'next'],
    ['p', undefined],
    ['g', undefined],
  ] as const)
    it(`${key} means ${act ?? 'nothing'}`, () => assert.equal(press(key), act));

  it('leave Enter and the space bar to the link, box or button that has the focus', () => {
    assert.equal(press('Enter', false), undefined);
    assert.equal(press(' ', false), undefined);
    assert.equal(press('j', false), 'focus 4');
  });
});

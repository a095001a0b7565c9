import assert from 'node:assert/strict';
import { newerRows, type RowMark } from '../../client/list/newer-rows.tsx';
import { type App, withApp } from '../support/app-in-dom.tsx';
import { stopLongTimers } from '../support/dom.ts';
import { eventually, until } from '../support/eventually.ts';
import { listPage, messageItem, sessionItem } from '../support/faulting-upstream.ts';
import { stubApi } from '../support/identity-dom.ts';

const HALF_MINUTE_MS = 30_000;

describe('newer rows of a list', () => {
  let made = 0;
  /** Returns a time one second later than the one before. */
  const next = (): Date => {
    made += 1;
    return new Date(Date.UTC(2026, 0, 1) + made * 1_000);
  };
  const record = () => ({
    sequence: made + 1,
    timestamp: next().toISOString(),
    action: 'logout',
    actor: 'operator-1',
    target: null,
    subject: null,
    details: {},
  });
  const LISTS = {
    messages: {
      address: '/messages',
      path: '/api/messages',
      small: 10,
      row: () => messageItem({ recipient: `m${made + 1}@example.org`, created_at: next().toISOString() }),
    },
    found: {
      address: '/messages?recipient=ada',
      path: '/api/messages',
      small: 10,
      row: () => messageItem({ recipient: 'ada', created_at: next().toISOString() }),
    },
    sessions: {
      address: '/sessions',
      path: '/api/identity-admin/admin/sessions',
      small: 50,
      row: () => sessionItem(made + 1, { at: next() }),
    },
    records: { address: '/security/audit', path: '/api/security/audit', small: 50, row: record },
  } satisfies Record<string, { address: string; path: string; small: number; row: () => object }>;
  type Name = keyof typeof LISTS;
  let rows: object[];
  const add = (name: Name, count: number): void => {
    for (let n = 0; n < count; n += 1) rows.unshift(LISTS[name].row());
  };

  /** Opens a list of a hundred rows with mocked timers. `polls` returns the later requests for newer rows. */
  async function onList(
    name: Name,
    work: (app: App, polls: () => string[], pass: (ms: number) => Promise<void>) => Promise<void>,
  ): Promise<void> {
    const { address, path, small } = LISTS[name];
    rows = [];
    add(name, 100);
    const respond = stubApi((request) => {
      if (new URL(request.path, 'http://dashboard.test').pathname !== path) return undefined;
      const page = listPage(request, rows);
      if (page === 'silence' || name === 'sessions')
        return new Response((page as { body: string }).body, page as object);
      const found = JSON.parse(page.body ?? '');
      return { events: found, messages: found, has_more: true, next_page_token: 'next' };
    });
    const timers = stopLongTimers();
    // Responses that have arrived are rendered before the time passes.
    const pass = async (ms: number): Promise<void> => {
      for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
      timers.pass(ms);
    };
    try {
      await withApp('http://dashboard.test', address, { respond }, async (app) => {
        await until(() => document.querySelector('[data-newer-rows]') !== null);
        await until(() => document.querySelector('tr[data-row], ol[aria-label^="Records"] > li') !== null);
        const isPoll = (requested: string): boolean => requested.startsWith(`${path}?page_size=${small}`);
        const before = app.requests.filter((request) => isPoll(request.path)).length;
        const polls = (): string[] =>
          app.requests
            .map((request) => request.path)
            .filter(isPoll)
            .slice(before);
        await work(app, polls, pass);
      });
    } finally {
      timers.restore();
    }
  }
  const firstRow = (): string | undefined =>
    document.querySelector('tr[data-row="0"], ol[aria-label^="Records"] > li')?.textContent ?? undefined;
  const newer = (): string => document.querySelector('[data-newer-rows]')?.textContent ?? '';
  const turnTab = (state: DocumentVisibilityState): void => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: state });
    document.dispatchEvent(
      new (document.defaultView as Window & typeof globalThis).Event('visibilitychange', { bubbles: true }),
    );
  };

  for (const name of ['messages', 'sessions', 'records'] as const)
    it(`are counted every half minute by one small request unless the tab is hidden, and displayed on request: ${name}`, () =>
      onList(name, async (app, polls, pass) => {
        await pass(HALF_MINUTE_MS - 2_000);
        assert.deepEqual(polls(), [], 'rows that were just loaded are requested again');
        await pass(3_000);
        await eventually(() => polls().length, 1);
        assert.equal(newer(), '');
        add(name, 3);
        const first = firstRow();
        await pass(HALF_MINUTE_MS);
        await eventually(newer, `3 new ${name}`);
        assert.equal(polls().length, 2);
        assert.equal(firstRow(), first, 'the rows changed without a request of the operator');
        await app.user.click(document.querySelector('[data-newer-rows] button') ?? assert.fail());
        await eventually(newer, '');
        turnTab('hidden');
        await pass(20 * HALF_MINUTE_MS);
        assert.equal(polls().length, 2, 'a hidden tab polls');
        add(name, 1);
        turnTab('visible');
        await eventually(newer, `1 new ${name.slice(0, -1)}`);
      }));

  it('are not counted if each request would leave a record, as a search for a recipient does', () =>
    onList('found', async (_app, polls, pass) => {
      await pass(2 * HALF_MINUTE_MS);
      await pass(0);
      assert.deepEqual(polls(), []);
    }));
});

describe('the count of newer rows', () => {
  /** Returns marks of rows, newest first. Each number is also the time of its row. */
  const marks = (...numbers: number[]): RowMark[] => numbers.map((number) => ({ id: `id-${number}`, at: number }));

  it('ignores an older row that moved up after a deletion, but counts a new row with the same time as a loaded one', () => {
    const other = { id: 'other', at: 3 };
    assert.equal(newerRows(marks(9, 8), { marks: marks(10, 7, 6), more: true }).count, 1);
    assert.equal(newerRows(marks(3, 2), { marks: [other, ...marks(3, 2)], more: true }).count, 1);
    assert.deepEqual(newerRows([], { marks: marks(2, 1), more: false }), { count: 2, isLeast: false });
  });
});

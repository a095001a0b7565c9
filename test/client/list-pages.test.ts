import assert from 'node:assert/strict';
import { keyOf } from '../../client/lib/keys.ts';
import { nextCursor } from '../../client/list/cursor-list.ts';
import { formatPage } from '../../client/list/pager.tsx';
import { type PageCursor, pageParams } from '../../client/list/resource.ts';
import { keyAction } from '../../client/list/selection.ts';
import { appOfSuite } from '../support/app-in-dom.tsx';
import { sessionIn } from '../support/http-sign-in.ts';

/** `empty` is a response without rows. `rows` is one with rows, if the test data has none for the page. */
type ListPage = [path: string, request: RegExp, row: RegExp, noRows: RegExp, empty: unknown, rows?: unknown];

const PERSON = '/identities/ADMIN';
const NO_MORE = { next_page_token: null, has_more: false };
const AT = '2026-01-01T00:00:00Z';
const LOCK = { id: 'l1', identifier: 'ada@example.org', reason: 'wrong_password', attempts: 5, locked_at: AT };
const MESSAGE = {
  id: '11111111-1111-4111-8111-111111111111',
  status: 'sent',
  type: 'email',
  recipient: 'admin@example.com',
  template_type: 'recovery_code_valid',
  created_at: AT,
};
const CONSENT = {
  consent_request_id: 'c1',
  handled_at: AT,
  consent_request: { subject: 'ada', client: { client_id: 'app', client_name: 'App' } },
};
const PROVIDER = {
  key: 'social.google.client_id',
  value: 'x',
  encrypted: false,
  category: 'social',
  created_at: AT,
  updated_at: AT,
};

const NO_IDENTITIES = { identities: [], ...NO_MORE, total: 0, index: { complete: true, identities: 0, as_of: AT } };
const NO_SETTINGS = { settings: [], ...NO_MORE };
const NO_LOCKS = { data: [], total: 0, truncated: false };

const MESSAGES = /\/courier\/messages\?/;
const QUEUE = /^\/api\/messages\?/;
const CONSENTS = /\/consent\?subject/;
const SETTINGS = /^\/api\/settings\?/;
const LOCKS = /^\/api\/security\/locked-accounts/;
const AUDIT = /^\/api\/security\/audit\?/;
const OPERATORS = /^\/api\/security\/operators$/;

const LISTS: readonly ListPage[] = [
  ['/identities', /^\/api\/identities\/search/, /^\S+@example\./, /^No identities yet/, NO_IDENTITIES],
  [`${PERSON}/sessions`, /\/sessions\?per_page/, /Node\.js/, /^No sessions/, []],
  [`${PERSON}/messages`, MESSAGES, /^Recovery code/, /^No messages/, [], [MESSAGE]],
  [`${PERSON}/consents`, CONSENTS, /^App$/, /^No consents/, [], [CONSENT]],
  ['/oauth/consents?subject=ada', CONSENTS, /^App$/, /^No consents for this subject/, [], [CONSENT]],
  ['/oauth/clients', /\/admin\/clients\?/, /^Web shop/, /^No clients yet/, []],
  ['/messages', QUEUE, /@example\./, /^No messages yet/, { messages: [], ...NO_MORE }],
  ['/schemas', /^\/api\/identity\/schemas$/, /^Customer/, /^No schemas/, []],
  ['/sessions', /\/admin\/sessions\?/, /@example\./, /^No sessions yet/, []],
  ['/connections', SETTINGS, /^Google/, /^No social providers/, NO_SETTINGS, { ...NO_SETTINGS, settings: [PROVIDER] }],
  ['/settings', SETTINGS, /^mail\.from/, /^No settings yet/, NO_SETTINGS],
  ['/security/audit?changes=false', AUDIT, /signed in/, /^No records yet/, { events: [], ...NO_MORE }],
  ['/security/locked-accounts', LOCKS, /^ada@/, /^Nobody is locked/, NO_LOCKS, { ...NO_LOCKS, data: [LOCK], total: 1 }],
  ['/security/operators', OPERATORS, /^View activity/, /^No operators/, { operators: [], truncated: false }],
  ['/security', /^\/api\/security\/posture/, /^Administrators/, /^No checks/, { as_of: AT, checks: [] }],
];

describe('a page with a list', () => {
  const suite = appOfSuite({ people: 12 });
  before(async () => {
    await suite.indexReady();
    await suite.call('/api/settings', { json: { key: 'mail.from', value: 'x' } });
  });

  for (const [path, request, row, noRows, empty, rows] of LISTS)
    it(`shows its rows, or a message that there are none: ${path}`, async () => {
      const open = (response: unknown, text: RegExp): Promise<void> =>
        suite.open(
          path.replace('ADMIN', sessionIn(suite.sessions.admin).identityId),
          {
            respond: (sent) =>
              response !== undefined && request.test(sent.path) ? Response.json(response) : undefined,
          },
          // The operator's own e-mail address is outside `main`.
          async (app) => void (await app.shows(text, document.querySelector('main') ?? undefined)),
        );
      await open(rows, row);
      await open(empty, noRows);
    });

  it('can be searched and refreshed even before its rows load', () =>
    suite.open(
      '/messages',
      { respond: ({ path }) => (QUEUE.test(path) ? new Promise(() => {}) : undefined) },
      async ({ screen }) => {
        await screen.findByLabelText('Recipient');
        await screen.findByRole('button', { name: 'Refresh' });
        await screen.findByLabelText('Loading the messages');
      },
    ));

  it('aligns the cells of all rows with the headings of its columns', () =>
    suite.open('/oauth/clients', {}, async (app) => {
      await app.shows(/^Web shop/);
      const widths = [...document.querySelectorAll('tr')].map(({ children }) =>
        [...children].map((cell) => (cell as HTMLElement).style.cssText),
      );
      assert.ok(widths.length > 2);
      assert.match(String(widths[0]), /flex-grow: 1\.8.*width: 9rem/);
      for (const row of widths) assert.deepEqual(row, widths[0]);
    }));
});

const ENTITIES = { one: 'entity', many: 'entities' };

const listPage = (rows: number, next?: string, befores: number[] = []) => ({
  pages: befores.map((before): PageCursor => ({ token: `after ${before}`, before })),
  page: { rows: Array.from({ length: rows }), next },
});
const matching = (total: number | null, next?: string) => {
  const { pages, page } = listPage(25, next);
  return { pages, page: { ...page, matches: { total, complete: true, read: 30_000, asOf: null } } };
};

describe('a page of a list', () => {
  it('is described by its number, those of its rows, both counted from one, and the number of matches', () => {
    for (const [page, isSearch, text] of [
      [listPage(25), false, 'Page 1, rows 1–25'],
      [listPage(25, 'c', [25, 50]), false, 'Page 3, rows 51–75'],
      [listPage(1, undefined, [1250]), false, 'Page 2, row 1,251'],
      [listPage(0), false, 'No entities'],
      [listPage(0, undefined, [25]), false, 'Page 2, no entities'],
      [matching(551, 'b'), true, 'Page 1, rows 1–25, 551 match'],
      [matching(null, 'b'), true, 'Page 1, rows 1–25, more than 10,000 match'],
      [matching(25), true, '25 entities match'],
    ] as const)
      assert.equal(formatPage(page, ENTITIES, isSearch), text);
  });

  it('has a cursor for the next page, if there is one', () => {
    assert.deepEqual(nextCursor(listPage(20, 'c', [25])), { token: 'c', before: 45 });
    assert.equal(nextCursor(listPage(25)), undefined);
    assert.equal(nextCursor(listPage(25, 'after 25', [25])), undefined, 'the cursor leads back to this page');
    assert.equal(nextCursor(listPage(0, 'd', [9, 9])), undefined, 'two empty pages in a row');
  });

  it('is requested with the search, the size and the latest cursor', () => {
    const cursors = [
      { token: 'a', before: 50 },
      { token: 'b', before: 100 },
    ];
    assert.deepEqual(pageParams({ page_size: 50, name: 'x' }, cursors), { name: 'x', pageSize: 50, token: 'b' });
    assert.deepEqual(pageParams({}, []), { pageSize: 25, token: undefined });
  });
});

describe('the keys of a list', () => {
  const actions: string[] = [];
  const rows = {
    current: 3,
    count: 10,
    focus: (index: number) => actions.push(`focus ${index}`),
    extendTo: (index: number) => actions.push(`extend ${index}`),
    open: (index: number) => actions.push(`open ${index}`),
    toggle: (index: number) => actions.push(`toggle ${index}`),
    next: () => actions.push('next'),
  };
  const press = (key: string, onRow = true): string | undefined => {
    actions.length = 0;
    keyAction(key, onRow, rows)?.();
    return actions[0];
  };

  it('focus, select and open rows, and turn pages; Enter and Space stay with a focused link, checkbox or button', () => {
    for (const [key, action] of [
      ['j', 'focus 4'],
      ['ArrowUp', 'focus 2'],
      ['Shift+ArrowDown', 'extend 4'],
      ['End', 'focus 9'],
      ['x', 'toggle 3'],
      ['Enter', 'open 3'],
      ['n', 'next'],
      ['g', undefined],
    ] as const)
      assert.equal(press(key), action, key);
    assert.equal(press('Enter', false), undefined);
    assert.equal(press(' ', false), undefined);
    assert.equal(press('j', false), 'focus 4');
  });
});

describe('the key of a shortcut', () => {
  it('is the Latin letter at the position of a letter of another script; Latin letters and signs stay as typed', () => {
    for (const [code, keys, result] of [
      ['KeyK', ['л', 'λ', 'ל', 'ن', 'ㅏ', 'า', 'لا', '่'], 'k'],
      ['KeyM', ['t', 'K', 'ĸ', ',', '?', 'µ', '٠', 'Enter', 'Process'], undefined],
      ['BracketLeft', ['х', '['], undefined],
    ] as const)
      for (const key of keys) assert.equal(keyOf({ key, code, shiftKey: false }), result ?? key, key);
    assert.equal(keyOf({ key: 'Л', code: 'KeyK', shiftKey: true }), 'K');
  });
});

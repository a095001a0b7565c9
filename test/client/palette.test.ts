import assert from 'node:assert/strict';
import { waitFor, within } from '@testing-library/dom';
import {
  type Fit,
  type Found,
  fitOf,
  formatFound,
  foundGroups,
  hiddenMatch,
  searchTextIn,
  textsIn,
} from '../../client/app/palette/found.tsx';
import type { FoundIdentity } from '../../shared/identities.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { statisticsReady, storeViews, viewOf } from '../support/dashboard-resources.ts';
import { eventually } from '../support/eventually.ts';
import { createIdentity } from '../support/identity-pages.ts';
import { createClient } from '../support/oauth-client-pages.ts';

describe('the search text of the palette', () => {
  it('has no trailing stars or control characters, and is ignored if it is too short or too long', () => {
    for (const [typed, text] of [
      ['ad*', undefined],
      ['ada', 'ada'],
      ['a*b**', 'a*b'],
      ['a\u0000da', 'a da'],
      ['x'.repeat(256), undefined],
    ] as const)
      assert.equal(searchTextIn(typed), text, typed);
  });
});

describe('a match in the palette', () => {
  it('ranks first for a complete identifier, second for a prefix, and third for another part, ignoring case and accents', () => {
    for (const [text, identifier, others, fit] of [
      ['ADA@example.org', 'ada@example.org', [], 0],
      ['ada', 'ada@example.org', [], 1],
      ['zoe', 'z@example.org', ['Zoë'], 1],
      ['example', 'ada@example.org', ['Ada'], 2],
    ] as [string, string | undefined, string[], Fit][])
      assert.equal(fitOf(text, identifier, others), fit, text);
  });

  it('can be in any text of the traits, down to a maximum depth', () => {
    assert.deepEqual(textsIn({ a: 'x', b: [1, null, { c: 'y' }], d: { e: ['z'] } }), ['x', 'y', 'z']);
    let deep: unknown = 'bottom';
    for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
    assert.deepEqual(textsIn(deep), []);
    assert.equal(hiddenMatch(['Ada', 'Gödel'], ['Ada'], 'ODE ada'), 'Gödel');
    assert.equal(hiddenMatch(['Ada'], ['Ada'], 'ada'), undefined);
  });
});

describe('the results in the palette', () => {
  const identity = (traits: Record<string, unknown>, over: Partial<FoundIdentity> = {}): FoundIdentity => ({
    id: `id of ${JSON.stringify(traits)}`,
    traits,
    state: 'active',
    created_at: '',
    updated_at: '',
    schema_id: 'customer',
    last_session_at: null,
    ...over,
  });
  const results = (over: Partial<Found>): Found => ({
    text: 'ada',
    pending: false,
    searchNow() {},
    identities: undefined,
    clients: undefined,
    settings: undefined,
    failures: [],
    ...over,
  });
  const identities = (rows: FoundIdentity[], total = rows.length, complete = true) => ({
    identities: rows,
    total,
    has_more: total > rows.length,
    next_page_token: null,
    index: { complete, identities: 12_000, as_of: null },
  });
  it('name each record with its identifier or state, best match first, followed by a link to all matches', () => {
    const rows = [
      identity({ email: 'x@example.org', name: { first: 'Lamada' } }),
      identity({ email: 'ada@example.org' }, { state: 'inactive' }),
      identity({ email: 'ada', name: 'A\u202edA' }),
      identity({ email: 'ada-gone@example.org' }, { changed: true }),
    ];
    const [group] = foundGroups(results({ identities: identities(rows, 551) }), () => {});
    assert.deepEqual(
      group?.commands.map(({ label, about }) => `${label}: ${about}`),
      [
        'A⟨U+202E⟩dA: ada',
        'ada@example.org: inactive',
        'Lamada: x@example.org',
        'All 551 matching identities: undefined',
      ],
    );
  });

  it('are counted in a sentence that also reports an incomplete index or a failed search', () => {
    const index = { complete: true, clients: 1, as_of: '' };
    const clients = { clients: [], total: 1, has_more: false, next_page_token: null, index };
    for (const [what, sentence] of [
      [{ identities: identities([], 0), clients }, 'Found: 0 identities, 1 client.'],
      [
        { identities: identities([], 2, false), settings: { rows: [], hasMore: true } },
        'Found: 2 identities, at least 0 settings. Only 12,000 identities indexed so far.',
      ],
      [
        { clients, failures: [{ of: 'settings', error: new Error('The service cannot be reached.') }] },
        'Found: 1 client. Search in settings failed: The service cannot be reached.',
      ],
    ] as [Partial<Found>, string][])
      assert.equal(formatFound(results(what)), sentence);
  });
});

const SEARCH = '/api/identities/search';
/** The index reads its lists one after another, with pauses. */
const SYNC_MS = 40_000;

const palette = async (app: App): Promise<HTMLElement> => {
  await waitFor(() => assert.equal(app.screen.queryByLabelText('Search or jump to'), null));
  await app.press(/^Search or jump to/);
  return app.screen.findByLabelText('Search or jump to');
};
/** Replaces the text in the field. */
const type = async (dialog: HTMLElement, app: App, text: string): Promise<void> => {
  const field = await within(dialog).findByRole('combobox');
  await app.user.clear(field);
  await app.user.type(field, text);
};
const arrivesAt = (app: App, name: string): Promise<HTMLElement> =>
  app.screen.findByRole('heading', { level: 1, name });
const options = (dialog: HTMLElement, group: string): (string | null)[] =>
  [...dialog.querySelectorAll(`[role=group][aria-label="${group}"] [role=option] > span > bdi`)].map(
    ({ textContent }) => textContent,
  );
const status = (dialog: HTMLElement): string | null => within(dialog).getByRole('status').textContent;

describe('the palette with an index', () => {
  const suite = appOfSuite({ people: 10 });
  const onOverview = (work: (app: App) => Promise<void>, role: 'admin' | 'viewer' = 'admin'): Promise<void> =>
    suite.open('/dashboard', { heading: 'Overview', role }, work);
  before(async () => {
    for (const [first, email] of [
      ['Quentin', 'qqz@example.org'],
      ['Zoë Qqz', 'zoe.middle@example.org'],
      ['Anna', 'anna.qqzzy@example.org'],
    ])
      await createIdentity(suite, { schema_id: 'customer', traits: { email, name: { first, last: 'Tester' } } });
    for (const key of ['mail.qqz.host', 'qqz.first', 'other'])
      await suite.call('/api/settings', { json: { key, value: 'secret-value' } });
    await createClient(suite, { client_id: 'shop-1', client_name: 'The qqz shop', owner: 'sales' });
    await storeViews(suite, viewOf('audit', 'b', 'Sign-ins of today', 'action=login'));
    await statisticsReady(suite);
    const total = async (path: string): Promise<number> => (await suite.read<{ total: number }>(path)).total;
    await eventually(() => total(`${SEARCH}?q=anna.qqzzy`), 1, 'identities are indexed', SYNC_MS);
    await eventually(() => total('/api/oauth-clients/search?q=qqz'), 1, 'the client is indexed', SYNC_MS);
  });

  it('finds identities, clients and settings by any part of a text, and opens the best match on Enter', () =>
    onOverview(async (app) => {
      let dialog = await palette(app);
      await type(dialog, app, 'QQZ');
      // On a busy machine, a note may follow: the exact look-up in the store has only a moment longer than the index.
      await waitFor(() => assert.match(status(dialog) ?? '', /^Found: 3 identities, 1 client, 2 settings\./));
      assert.deepEqual(options(dialog, 'Identities'), ['Quentin Tester', 'Anna Tester', 'Zoë Qqz Tester']);
      assert.deepEqual(options(dialog, 'Clients'), ['The qqz shop']);
      assert.deepEqual(options(dialog, 'Settings'), ['qqz.first', 'mail.qqz.host']);
      assert.equal(app.screen.queryByText('secret-value'), null);
      for (const [text, group, name, heading] of [
        ['qqz@example.org', 'Identities', 'Quentin Tester', 'Quentin Tester'],
        ['shop, QQZ', 'Clients', 'The qqz shop', 'The qqz shop'],
        ['qqz.first', 'Settings', 'qqz.first', 'Settings'],
      ] as const) {
        await type(dialog, app, text);
        await waitFor(() => assert.deepEqual(options(dialog, group), [name]));
        await app.user.keyboard('{Enter}');
        await arrivesAt(app, heading);
        if (heading !== 'Settings') dialog = await palette(app);
      }
      assert.equal(app.address(), '/settings?key=qqz.first');
    }));

  it('finds a saved view by part of its name even if its first requests for views fail, and opens it on Enter', () =>
    onOverview(async (app) => {
      let failures = 0;
      app.respond = ({ path }) => {
        if (path !== '/api/dashboard/views' || failures === 2) return undefined;
        failures += 1;
        return Response.json({ error: 'service_unavailable', message: 'Unavailable.' }, { status: 503 });
      };
      const dialog = await palette(app);
      await type(dialog, app, 'of today');
      await waitFor(() => assert.match(dialog.querySelector('[aria-selected=true]')?.textContent ?? '', /^Sign-ins/));
      await app.user.keyboard('{Enter}');
      await waitFor(() => assert.equal(app.address(), '/security/audit?action=login'));
    }));

  it('shows a viewer no results, and sends no search requests', () =>
    onOverview(async (app) => {
      const dialog = await palette(app);
      for (const text of ['qqz', 'inactive']) {
        await type(dialog, app, text);
        await app.shows('No results', dialog);
        await waitFor(() => assert.equal(status(dialog), ''));
      }
      const requests = app.requests.filter(({ path }) => /search|settings|\/total|views/.test(path));
      assert.deepEqual(requests, []);
    }, 'viewer'));
});

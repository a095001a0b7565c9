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
import { matchesIn } from '../../client/app/palette/marks.tsx';
import { whatIs } from '../../client/app/palette/pasted.ts';
import { matching } from '../../client/app/palette/words.ts';
import type { Role } from '../../shared/capabilities.ts';
import type { FoundIdentity } from '../../shared/identities.ts';
import type { RecordReference, RecordSummary, Records } from '../../shared/records.ts';
import { type App, appOfSuite } from '../support/app-in-dom.tsx';
import { statisticsReady, storeViews, viewOf } from '../support/dashboard-resources.ts';
import { eventually } from '../support/eventually.ts';
import { createIdentity, createPerson } from '../support/identity-pages.ts';
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

const ID = '018f3b1e-5f0a-4c3e-9d2b-0a1b2c3d4e5f';

describe('a text that is pasted into the palette', () => {
  const shapeOf = (text: string): string => {
    const isRoute = (path: string): boolean => /^\/(?:sessions|identities\/[^/]+)$/.test(path);
    const { kind, ...rest } = whatIs(text, isRoute, new URL('https://dash.example/dashboard'));
    return [kind, ...Object.values(rest)].join(' ');
  };

  for (const [shape, texts] of Object.entries({
    'token ory_at_a.b-c an access token': [
      'ory_at_a.b-c',
      'Authorization: Bearer ory_at_a.b-c',
      '{"token":"ory_at_a.b-c"}',
      'https://dash.example/sessions?q=ory%5Fat%5Fa.b-c&x=1',
      'of ada@example.org from 203.0.113.7: o\u200bry_at_a.b-c',
    ],
    'token eyJhbGciOi.e30. a JSON Web Token': ['eyJhbGciOi.e30.', 'id_token=eyJhbGciOi.e30.', '%22eyJhbGciOi.e30.%22'],
    'token ory_st_abc a session token': ['ory_st_abc', `X-Session-Token: ory_st_abc ${ID}`],
    'token ory_rt_abc a refresh token': ['ory_rt_abc'],
    'token ory_ac_abc an authorization code': ['https://app.example/cb?code=ory_ac_abc&state=x'],
    'token 0123456789abcdef a token': ['token=0123456789abcdef', 'bearer 0123456789abcdef'],
    [`id ${ID} ${ID}`]: [
      ID,
      ` "${ID}" `,
      `<${ID}>`,
      `id: ${ID}`,
      `identity_id=${ID},`,
      `https://kratos.example/admin/identities/${ID}`,
    ],
    [`id ${ID} ${ID.toUpperCase()}`]: [ID.toUpperCase()],
    [`id ${ID} ${ID.replaceAll('-', '')}`]: [ID.replaceAll('-', '')],
    'ip 203.0.113.7': [
      '203.0.113.7',
      '203.0.113.7:51234',
      'client ip: "203.0.113.7",',
      'ip:203.0.113.7.',
      '::FFFF:203.0.113.7',
    ],
    'ip 2001:db8::1': ['2001:DB8::1', '[2001:db8::1]:443', 'ip=2001:db8::1'],
    'page /sessions?active=true': ['/sessions?active=true', '<https://dash.example/sessions?active=true>'],
    [`page /identities/${ID}`]: [`dash.example/identities/${ID}`],
    // Of another site, only what it is about is searched.
    'text ': ['https://app.example/?x=secret', 'https://ada:pass@host.example/', `see ${'x'.repeat(3_000)}`],
    'text ada@example.org': ['ada@example.org', 'https://app.example/?login_hint=ada%40example.org&x=secret'],
    'text https://app.example/client': ['https://app.example/client'],
    'text keyJones': ['keyJones'],
    'text 10:02:33': ['10:02:33'],
    'text /api/identities': ['/api/identities'],
  }))
    it(`is recognised by its shape: ${shape.slice(0, 60)}`, () => {
      for (const text of texts) assert.equal(shapeOf(text), shape, text);
    });
});

describe('a match in the palette', () => {
  it('is marked, ignoring case and accents', () => {
    for (const [text, search, marked] of [
      ['Zoë Gödel', 'ODE zo', '[Zo]ë G[öde]l'],
      ['Zoe\u0308', 'zoe', '[Zoe\u0308]'],
      ['Straße 𝒳y', 'SS y', 'Stra[ß]e 𝒳[y]'],
      ['a.b', 'x', 'a.b'],
    ] as const) {
      const parts = matchesIn(text, search).map(({ text, isMatch }) => (isMatch ? `[${text}]` : text));
      assert.equal(parts.join(''), marked);
    }
  });

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
const paste = async (dialog: HTMLElement, app: App, text: string): Promise<void> => {
  await app.user.click(within(dialog).getByRole('combobox'));
  await app.user.paste(text);
};
const arrivesAt = (app: App, name: string): Promise<HTMLElement> =>
  app.screen.findByRole('heading', { level: 1, name });
const options = (dialog: HTMLElement, group: string): (string | null)[] =>
  [...dialog.querySelectorAll(`[role=group][aria-label="${group}"] [role=option] > span > bdi`)].map(
    ({ textContent }) => textContent,
  );
const status = (dialog: HTMLElement): string | null => within(dialog).getByRole('status').textContent;

describe('the palette', () => {
  const suite = appOfSuite({ people: 10, env: { EXTRA_ROLES: 'support' } });
  const onOverview = (work: (app: App) => Promise<void>, role: Role = 'admin'): Promise<void> =>
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

  it('knows other words for pages and actions, after those whose name matches', () =>
    onOverview(async (app) => {
      const dialog = await palette(app);
      for (const [text, name] of [
        ['unlock', 'Locked accounts'],
        ['rotate', 'Clients'],
        ['users', 'Identities'],
        ['2fa', 'Identities'],
        ['log', 'Audit trail'],
        ['logout', 'Sign out'],
      ]) {
        await type(dialog, app, text as string);
        await waitFor(() => assert.ok(options(dialog, 'Pages and actions').includes(name as string), text));
      }
      const command = (label: string) => ({ id: label, label, icon: null, run() {} });
      const ranked = matching([command('Deactivate…'), command('Bans'), command('Urban')], 'ban').commands;
      assert.deepEqual(
        ranked.map(({ label }) => label),
        ['Bans', 'Urban', 'Deactivate…'],
      );
      await type(dialog, app, 'help');
      await app.user.keyboard('{Enter}');
      await app.screen.findByRole('dialog', { name: 'Keyboard shortcuts' });
    }));

  it('moves no line when results arrive after others', () =>
    onOverview(async (app) => {
      const { promise, resolve } = Promise.withResolvers<undefined>();
      app.respond = ({ path }) => (path.startsWith(SEARCH) ? promise : undefined);
      const dialog = await palette(app);
      const lines = (): (string | null)[] =>
        [...dialog.querySelectorAll('[role=option]')].map((line) => line.textContent);
      await type(dialog, app, 'qqz');
      await waitFor(() => assert.equal(options(dialog, 'Settings').length, 2));
      const before = lines();
      resolve(undefined);
      await waitFor(() => assert.equal(options(dialog, 'Identities').length, 3));
      assert.deepEqual(lines().slice(0, before.length), before);
      assert.equal(dialog.querySelector('[aria-selected=true]')?.textContent, 'qqz.first');
      assert.equal(dialog.querySelector('mark')?.textContent, 'qqz');
    }));

  it('neither sends nor stores a token, and hands it to Introspect', () =>
    onOverview(async (app) => {
      const dialog = await palette(app);
      await paste(dialog, app, 'Bearer ory_at_secret.part');
      await waitFor(() =>
        assert.equal(status(dialog), 'This looks like an access token. It is neither sent nor stored.'),
      );
      await app.user.keyboard('{Enter}');
      await arrivesAt(app, 'Introspect');
      const field = await app.screen.findByLabelText('Token');
      await waitFor(() => assert.equal((field as HTMLTextAreaElement).value, 'ory_at_secret.part'));
      assert.equal(app.address(), '/oauth/introspect');
      const stored = JSON.stringify([{ ...localStorage }, { ...sessionStorage }, history.state, app.requests]);
      assert.ok(!stored.includes('secret'));
      await app.press(/^Search or jump to/);
      await type(await app.screen.findByLabelText('Search or jump to'), app, 'ory_at_secret');
      await app.user.keyboard('{Escape}');
    }));

  it('opens sessions and sign-ins from an IP address, and the address of a page, without a search', () =>
    suite.open('/dashboard', { heading: 'Overview', hasSignInLog: true }, async (app) => {
      const dialog = await palette(app);
      await paste(dialog, app, 'ip=203.0.113.7');
      await app.shows('Sessions from 203.0.113.7', dialog);
      await app.user.click(await app.shows('Sign-ins from 203.0.113.7', dialog));
      await waitFor(() => assert.equal(app.address(), '/security/sign-ins?ip=203.0.113.7'));
      await arrivesAt(app, 'Sign-ins');
      await paste(await palette(app), app, `${app.window.location.origin}/identities?state=inactive`);
      await app.user.keyboard('{Enter}');
      await waitFor(() => assert.equal(app.address(), '/identities?state=inactive'));
      assert.ok(!app.requests.some(({ path }) => /q=/.test(path)));
    }));

  const person: RecordSummary = {
    resource: 'session',
    id: ID,
    name: 'Ada Moreno',
    identity_id: null,
    active: false,
    authenticated_at: '',
    expires_at: new Date(Date.now() - 3 * 86_400_000).toISOString(),
  };
  const client: RecordSummary = { resource: 'client', id: ID, name: 'Shop' };
  const failed = { resource: 'message', id: ID, error: 'upstream_error', message: 'It is away.' } as const;
  const recordsOf = ({ requests }: App): string[][] =>
    requests
      .filter(({ path }) => path.startsWith('/api/records'))
      .map(({ path }) => new URLSearchParams(path.split('?')[1]).getAll('record'));
  const respondsWith = (app: App, over: Partial<Records> | Promise<Partial<Records>>): void => {
    app.respond = async ({ path }) =>
      path.startsWith('/api/records')
        ? Response.json({ records: [], gone: [], failed: [], ...(await over) })
        : undefined;
  };

  for (const [what, over, sentence] of [
    ['what it found', { records: [person] }, 'Found: Session of Ada Moreno, ended 3 days ago.'],
    ['several records', { records: [person, client] }, 'Found: Session of Ada .+; Client: Shop.'],
    [
      'a failure',
      { records: [client], failed: [failed] },
      'Found: Client: Shop. Messages could not be read: It is away.',
    ],
    ['a failure alone', { failed: [failed] }, 'Messages could not be read: It is away.'],
    ['an unknown ID', {}, 'No record has this ID. If it is a request ID, look in the log.'],
  ] as [string, Partial<Records>, string][])
    it(`looks up an ID in one request, and reports ${what}`, () =>
      onOverview(async (app) => {
        respondsWith(app, over);
        const dialog = await palette(app);
        await paste(dialog, app, `id: ${ID}`);
        await waitFor(() => assert.match(status(dialog) ?? '', new RegExp(`^${sentence}$`)));
        const records = ['identity', 'session', 'message', 'client'].map((kind) => `${kind}:${ID}`);
        assert.deepEqual(recordsOf(app), [records]);
        assert.ok(!app.requests.some(({ path }) => /search|external|q=/.test(path)));
      }));

  it('requests only kinds that the role may read, and waits on Enter to open the only record', () =>
    onOverview(async (app) => {
      const { promise, resolve } = Promise.withResolvers<Partial<Records>>();
      respondsWith(app, promise);
      const dialog = await palette(app);
      await paste(dialog, app, ID);
      await app.user.keyboard('{Enter}');
      await waitFor(() => assert.equal(status(dialog), 'Looking up the ID…'));
      assert.deepEqual(recordsOf(app), [['identity', 'session', 'message'].map((kind) => `${kind}:${ID}`)]);
      resolve({ records: [person] });
      await waitFor(() => assert.equal(app.address(), `/sessions/${ID}`));
    }, 'support'));

  it('looks up an external ID only on Enter, and otherwise says that nobody has it', () =>
    onOverview(async (app) => {
      await createIdentity(suite, {
        schema_id: 'customer',
        traits: { email: 'external@example.org' },
        external_id: 'crm-4711',
      });
      for (const [text, finds] of [
        ['crm-0', false],
        ['crm-4711', true],
      ] as const) {
        const dialog = app.screen.queryByLabelText('Search or jump to') ?? (await palette(app));
        await type(dialog, app, text);
        const line = await app.shows(`Find external ID: ${text}`, dialog);
        assert.ok(!app.requests.some(({ path }) => path.includes(`external/${text}`)));
        await app.user.click(line);
        if (finds) await arrivesAt(app, 'external@example.org');
        else await waitFor(() => assert.equal(status(dialog), 'No identity has this external ID.'));
      }
    }));

  it('lists favourites and the records opened last when empty, with names from one request, until sign-out', async () => {
    const { id, name } = await createPerson(suite);
    const gone: RecordReference = { resource: 'message', id: ID };
    const summary: RecordSummary = { resource: 'identity', id, name: 'Renamed', identifier: null, state: 'active' };
    await suite.open(`/identities/${id}`, { heading: name }, async (app) => {
      await app.press('Favourite');
      await waitFor(() =>
        assert.equal(app.screen.getByRole('button', { name: 'Favourite' }).getAttribute('aria-pressed'), 'true'),
      );
      const slot = 'recent-records';
      const [operator] = localStorage.getItem(slot)?.split('\n') ?? [];
      assert.equal(localStorage.getItem(slot), `${operator}\nidentity:${id}`);
      localStorage.setItem(slot, `${operator}\nidentity:${id}\nidentity:broken\nnobody\nmessage:${ID}`);
      respondsWith(app, { records: [summary], gone: [gone] });
      let dialog = await palette(app);
      await waitFor(() => assert.equal(options(dialog, 'Recent')[0], 'Identity: Renamed'));
      assert.deepEqual(options(dialog, 'Favourites'), ['Identity: Renamed']);
      assert.deepEqual(recordsOf(app), [[`identity:${id}`, `message:${ID}`]]);
      await waitFor(() => assert.doesNotMatch(localStorage.getItem(slot) ?? '', /message/));
      await app.user.keyboard('{Escape}');
      respondsWith(app, { gone: [summary] });
      dialog = await palette(app);
      await app.user.click(await app.shows(/Select to remove it from the favourites/, dialog));
      await app.shows('Removed from the favourites.', dialog);
      assert.deepEqual(options(dialog, 'Favourites'), []);
      localStorage.setItem(slot, `somebody else\nidentity:${id}`);
      await app.user.keyboard('{Escape}');
      assert.deepEqual(options(await palette(app), 'Recent'), []);
      await app.user.keyboard('{Escape}');
      app.respond = ({ path }) => (path === '/api/auth/logout' ? new Response(null, { status: 204 }) : undefined);
      await type(await palette(app), app, 'sign out{Enter}');
      await waitFor(() => assert.equal(localStorage.getItem(slot), null));
    });
  });

  it('takes at most 50 favourites', async () => {
    const { id, name } = await createPerson(suite);
    const favourites = Array.from({ length: 50 }, (_, index) => ({ resource: 'client', id: String(index) }));
    const respond = ({ path }: { path: string }) =>
      path === '/api/dashboard/views' ? Response.json({ views: [], favourites }) : undefined;
    await suite.open(`/identities/${id}`, { heading: name, respond }, async (app) => {
      await app.press('Favourite');
      await app.shows('You have 50 favourites, which is the limit. Remove one first.');
      assert.ok(!app.requests.some(({ method }) => method === 'PUT'));
    });
  });

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

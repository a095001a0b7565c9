import assert from 'node:assert/strict';
import { identitySearch, type SearchQuery } from '../../server/features/identities/identity-search.ts';
import type { IdentityIndex } from '../../server/search-index/index.ts';
import type { IdentityStore } from '../../server/upstream/identity-store.ts';
import type { ClientSearchPage } from '../../shared/client-search.ts';
import type { Statistics } from '../../shared/dashboard.ts';
import type { IdentitySearchPage } from '../../shared/identities.ts';
import { eventually } from '../support/eventually.ts';
import type { SeenRequest, StubResponse } from '../support/faulting-upstream.ts';
import { indexReady } from '../support/index-ready.ts';
import { identity, idOf } from '../support/index-rig.ts';
import { listedPage } from '../support/listed-pages.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';
import { assertError } from '../support/settings-app.ts';

function stored(index: number, over: object = {}) {
  const email = `p${index}@example.test`;
  return {
    ...identity(index),
    traits: { email, name: { first: 'Ada', last: `Lovelace ${index}` } } as Record<string, unknown>,
    verifiable_addresses: [{ value: email, verified: index % 2 === 0 }],
    ...over,
  };
}
type Stored = ReturnType<typeof stored>;

describe('GET /api/identities/search', () => {
  let mapped: MappedDashboard;
  let people: Stored[];
  before(async () => {
    mapped = await startMappedDashboard();
  });
  /** The service has started anew, and has read these people. */
  async function read(given: Stored[]): Promise<void> {
    people = given;
    await mapped.restart();
    mapped.identityAdmin.before = answer;
    await indexReady(mapped.dashboard, mapped.sessions.admin);
  }
  const lovelaces = (): Stored[] => Array.from({ length: 300 }, (_, index) => stored(index));
  after(() => mapped.close());

  function answer(seen: SeenRequest): StubResponse | undefined {
    const url = new URL(seen.path, 'http://store');
    if (url.pathname !== '/admin/identities') return undefined;
    const ids = url.searchParams.getAll('ids');
    if (ids.length > 0) return listedPage(seen, people.filter(({ id }) => ids.includes(id)).toReversed());
    const identifier = url.searchParams.get('credentials_identifier');
    if (identifier === null) return listedPage(seen, people);
    return listedPage(
      seen,
      people.filter(({ traits }) => traits['email'] === identifier.toLowerCase()),
    );
  }
  const call = (query: string, session = mapped.sessions.admin) =>
    mapped.dashboard.call(`/api/identities/search${query}`, { session });
  async function found(query: string): Promise<IdentitySearchPage> {
    const response = await call(query);
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as IdentitySearchPage;
  }
  const ids = ({ identities }: IdentitySearchPage): string[] => identities.map(({ id }) => id);

  describe('among people who stay', () => {
    before(() => {
      const all = lovelaces();
      const name = { first: 'Zoë', last: "Gödel-Weiß O'Neil" };
      all[7] = stored(7, {
        traits: { email: 'zoe@example.test', name, phone: '+491701234567', note: '数学が好き Χρίστος' },
      });
      return read(all);
    });

    it('finds any part of a text, ignoring case and accents; rows are read from the store', async () => {
      for (const q of ['zoë', 'GODEL', 'öde', '数', '数学', 'ΧΡΙΣ', 'zo', 'oe@exam'])
        assert.deepEqual(ids(await found(`?q=${encodeURIComponent(q)}`)), [idOf(7)], q);
      const { identities, total, index } = await found('?q=zoe');
      const { verifiable_addresses: _, ...row } = people[7] as Stored;
      assert.deepEqual(identities, [{ ...row, last_session_at: null }]);
      assert.equal(total, 1);
      assert.deepEqual([index.complete, index.identities], [true, 300]);
      assert.ok(Math.abs(Date.parse(index.as_of ?? '') - Date.now()) < 600_000);
      assert.deepEqual(ids(await found('?q=oe')), [], 'two characters find beginnings alone');
    });

    it('finds by all words of a search in any order, however they were pasted', async () => {
      for (const q of [
        "O'Neil Zoë",
        'gödel, zoe',
        'o’neil',
        'weiss',
        'Zoë Gödel <zoe@example.test>',
        '"zoe@example.test";',
        'mailto:zoe@example.test',
        '+49 170 1234567',
        '+49 (0)170/123-4567',
        '0170 1234567',
      ])
        assert.deepEqual(ids(await found(`?q=${encodeURIComponent(q)}`)), [idOf(7)], q);
      assert.deepEqual(ids(await found('?q=zoe+lovelace')), [], 'each must be found');
    });

    it('counts them once for list, palette and overview', async () => {
      const { total, index } = await found('');
      assert.equal(total, 300);
      const of = async (path: string) =>
        (await (await mapped.dashboard.call(path, { session: mapped.sessions.admin })).json()) as Statistics;
      assert.deepEqual(await of('/api/identities/total'), { total, as_of: index.as_of });
      assert.equal((await of('/api/dashboard/statistics')).identities?.total, total);
    });

    it('records who searched for what, except for a count, which names nobody', async () => {
      const searches = async (): Promise<string[]> => {
        const { events } = (await (
          await mapped.dashboard.call('/api/security/audit?action=identity_search', { session: mapped.sessions.admin })
        ).json()) as { events: { target: string }[] };
        return events.map(({ target }) => target);
      };
      await found('?q=ada&state=active&page_size=5');
      const all = (await (await call('/ids?q=p1')).json()) as { ids: string[] };
      assert.equal(all.ids.length, 111);
      await call('/count?q=p2');
      assert.deepEqual((await searches()).slice(0, 2), ['q=p1', 'q=ada&state=active']);
    });

    it('refuses other parameters, naming them', async () => {
      const token = (parts: unknown): string => Buffer.from(JSON.stringify(parts)).toString('base64url');
      for (const [query, field] of [
        ['q=%C2%B4', 'q'],
        ['state=gone', 'state'],
        ['verified=1', 'verified'],
        ['session_to=2026-02-30', 'session_to'],
        ['no_session=true&session_from=2026-01-01', 'no_session'],
        ['sort=name', 'sort'],
        ['page_size=251', 'page_size'],
        ['page_token=x', 'token'],
        [`page_token=${token(['text', idOf(1)])}`, 'token'],
      ] as const) {
        const response = await call(`?${query}`);
        assert.equal(response.status, 400, query);
        assert.match(((await response.json()) as { message: string }).message, new RegExp(field));
      }
    });
  });

  it('omits deleted people, and marks those who no longer match', async () => {
    await read(lovelaces());
    people = people.filter((_, index) => index !== 5);
    people[3] = stored(3, { state: 'inactive' });
    const page = await found('?state=active&sort=created&order=asc&page_size=6');
    assert.deepEqual(
      ids(page),
      [0, 1, 2, 3, 4].map((index) => idOf(index)),
    );
    assert.deepEqual(
      page.identities.map(({ changed }) => changed),
      [undefined, undefined, undefined, true, undefined],
    );
    assert.equal((await found('?state=active')).total, 299);
  });

  it('gives every page by identifiers that grow long when they are compared', async () => {
    await read([0, 1, 2].map((index) => stored(index, { traits: { email: `${index}${'각'.repeat(200)}` } })));
    const seen: string[] = [];
    for (let token: string | null = ''; token !== null; ) {
      const page: IdentitySearchPage = await found(`?sort=identifier&order=asc&page_size=1&page_token=${token}`);
      seen.push(...ids(page));
      token = page.next_page_token;
    }
    assert.deepEqual(
      seen,
      [0, 1, 2].map((index) => idOf(index)),
    );
  });

  it('puts the person with exactly this identifier first, right after they registered', async () => {
    await read(lovelaces());
    people.push(stored(999, { traits: { email: 'new@example.test' } }));
    assert.deepEqual(ids(await found('?q=New@Example.test')), [idOf(999)]);
    assert.deepEqual(ids(await found('?q=New@Example.test&session_from=2020-01-01')), [], 'without a session');
    assert.deepEqual(ids(await found('?q=P7@Example.test&no_session=true')), [idOf(7)]);
    assert.deepEqual(ids(await found('?q=P7@Example.test&session_to=2020-01-01')), []);
  });

  it('refuses more than 10,000 ids instead of returning a part', async () => {
    const many = async (_session: string, _people: unknown, most: number) => ({ value: Array(most).fill(idOf(1)) });
    const search = identitySearch({ peopleIds: many } as unknown as IdentityIndex, {} as IdentityStore);
    await assert.rejects(search.ids('', { people: {} } as SearchQuery), /More than 10,000 identities match/);
  });
});

type StoredClient = Record<string, unknown> & { client_id: string };

const clientIdOf = (index: number): string => `app-${String(index).padStart(3, '0')}`;
const storedClient = (index: number, over: Record<string, unknown> = {}): StoredClient => ({
  client_id: clientIdOf(index),
  client_name: `Shop ${index}`,
  owner: index % 2 === 0 ? 'Payments' : 'Logistics',
  grant_types: ['authorization_code'],
  ...over,
});
/** Unlike the others; the first by its bytes. */
const ZOE: StoredClient = {
  client_id: 'Zeta',
  client_name: 'Größe & Maß',
  owner: 'Zoë',
  logo_uri: 'https://example.test/z',
};
const ALL: readonly StoredClient[] = [ZOE, ...Array.from({ length: 300 }, (_, index) => storedClient(index))];
const ABSENT: StubResponse = {
  status: 404,
  body: '{"error":"Unable to locate the resource","error_description":""}',
};

describe('GET /api/oauth-clients/search', () => {
  let mapped: MappedDashboard;
  let clients: StoredClient[];
  before(async () => {
    mapped = await startMappedDashboard();
  });
  after(() => mapped.close());

  function answer(seen: SeenRequest): StubResponse | undefined {
    const { pathname } = new URL(seen.path, 'http://server');
    if (pathname === '/admin/clients') return listedPage(seen, clients);
    const [, id] = /^\/admin\/clients\/([^/]+)$/.exec(pathname) ?? [];
    if (id === undefined) return undefined;
    const client = clients.find(({ client_id }) => client_id === decodeURIComponent(id));
    return client === undefined ? ABSENT : { status: 200, body: JSON.stringify(client) };
  }
  /** The server has these clients, and the service has started anew and read them. */
  async function read(given: readonly StoredClient[]): Promise<void> {
    clients = [...given];
    await mapped.restart();
    mapped.oauthAdmin.before = answer;
    await indexReady(mapped.dashboard, mapped.sessions.admin);
  }
  const call = (query: string) =>
    mapped.dashboard.call(`/api/oauth-clients/search${query}`, { session: mapped.sessions.admin });
  async function found(query: string): Promise<ClientSearchPage> {
    const response = await call(query);
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as ClientSearchPage;
  }
  const ids = (page: ClientSearchPage): unknown[] => page.clients.map(({ client_id }) => client_id);

  describe('among clients that stay', () => {
    before(() => read(ALL));
    beforeEach(() => {
      clients = [...ALL];
      mapped.oauthAdmin.calm();
      mapped.oauthAdmin.before = answer;
    });

    it('finds any part of id, name and owner, ignoring case and accents; rows are read from the server', async () => {
      for (const q of ['größe', 'GRO', 'oße', 'zo', 'ZOË', 'zeta', 'eta'])
        assert.deepEqual(ids(await found(`?q=${encodeURIComponent(q)}`)), ['Zeta'], q);
      const { clients: rows, total, index } = await found('?q=zoe');
      assert.deepEqual(rows, [ZOE]);
      assert.equal(total, 1);
      assert.deepEqual([index.complete, index.clients], [true, 301]);
      assert.ok(Math.abs(Date.parse(index.as_of) - Date.now()) < 600_000);
      assert.deepEqual(ids(await found('?q=oe')), [], 'two characters find beginnings alone');
    });

    it('never returns a secret, whatever the server sends', async () => {
      const secrets = { client_secret: 'hush-1', registration_access_token: 'hush-2', client_secret_expires_at: 0 };
      clients = [storedClient(1, secrets)];
      const text = await (await call(`?q=${clientIdOf(1)}`)).text();
      assert.doesNotMatch(text, /hush|"client_secret"|registration_access_token/);
      assert.deepEqual((JSON.parse(text) as ClientSearchPage).clients, [
        { ...storedClient(1), client_secret_expires_at: 0 },
      ]);
    });

    it('returns a client without its metadata if that is nested too deeply', async () => {
      const row = JSON.stringify(storedClient(1)).slice(0, -1);
      const body = `${row},"metadata":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
      mapped.oauthAdmin.before = (seen) =>
        seen.path.endsWith(`/${clientIdOf(1)}`) ? { status: 200, body } : answer(seen);
      assert.deepEqual((await found(`?q=${clientIdOf(1)}`)).clients, [{ ...storedClient(1), metadata: {} }]);
    });

    it('refuses other parameters, naming them', async () => {
      for (const [query, code, field] of [
        ['q=%C2%B4', 'bad_request', 'q'],
        ['page_size=251', 'invalid_page_size', 'page_size'],
        ['page_token=x', 'invalid_page_token', 'token'],
      ] as const) {
        const { message } = await assertError(await call(`?${query}`), 400, code);
        assert.match(message, new RegExp(field), query);
      }
    });

    it('returns the next page by a token, and 502 if the server fails for one client', async () => {
      const page = await found('?page_size=9');
      assert.deepEqual([ids(page).at(-1), page.total, page.has_more], [clientIdOf(7), 301, true]);
      const next = await found(`?page_size=2&page_token=${page.next_page_token}`);
      assert.deepEqual(ids(next), [clientIdOf(8), clientIdOf(9)]);
      mapped.oauthAdmin.before = (seen) => (seen.path.endsWith(clientIdOf(3)) ? { status: 500 } : answer(seen));
      await assertError(await call('?page_size=9'), 502, 'bad_gateway');
    });
  });

  it('omits deleted clients, removes them from the index, and shows changed ones as they are now', async () => {
    await read(ALL);
    clients = ALL.filter(({ client_id }) => client_id !== clientIdOf(5));
    clients[4] = storedClient(3, { client_name: 'Renamed' });
    const page = await found('?q=shop&page_size=8');
    assert.deepEqual(ids(page), [0, 1, 2, 3, 4, 6, 7].map(clientIdOf));
    assert.equal(page.clients[3]?.['client_name'], 'Renamed');
    assert.equal(page.total, 299);
    assert.equal(page.has_more, true);
    await eventually(async () => (await found('?page_size=1')).index.clients, 300);
  });
});

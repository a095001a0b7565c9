import assert from 'node:assert/strict';
import type { ClientSearchPage } from '../../shared/client-search.ts';
import { eventually } from '../support/eventually.ts';
import type { SeenRequest, StubResponse } from '../support/faulting-upstream.ts';
import { indexReady } from '../support/index-ready.ts';
import { listedPage } from '../support/listed-pages.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';
import { assertError } from '../support/settings-app.ts';

type Stored = Record<string, unknown> & { client_id: string };

const idOf = (index: number): string => `app-${String(index).padStart(3, '0')}`;
const stored = (index: number, over: Record<string, unknown> = {}): Stored => ({
  client_id: idOf(index),
  client_name: `Shop ${index}`,
  owner: index % 2 === 0 ? 'Payments' : 'Logistics',
  grant_types: ['authorization_code'],
  ...over,
});
/** Unlike the others; the first by its bytes. */
const ZOE: Stored = { client_id: 'Zeta', client_name: 'Größe & Maß', owner: 'Zoë', logo_uri: 'https://example.test/z' };
const ALL: readonly Stored[] = [ZOE, ...Array.from({ length: 300 }, (_, index) => stored(index))];
const ABSENT: StubResponse = {
  status: 404,
  body: '{"error":"Unable to locate the resource","error_description":""}',
};

describe('GET /api/oauth-clients/search', () => {
  let mapped: MappedDashboard;
  let clients: Stored[];
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
  async function read(given: readonly Stored[]): Promise<void> {
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
      clients = [stored(1, secrets)];
      const text = await (await call(`?q=${idOf(1)}`)).text();
      assert.doesNotMatch(text, /hush|"client_secret"|registration_access_token/);
      assert.deepEqual((JSON.parse(text) as ClientSearchPage).clients, [{ ...stored(1), client_secret_expires_at: 0 }]);
    });

    it('returns a client without its metadata if that is nested too deeply', async () => {
      const row = JSON.stringify(stored(1)).slice(0, -1);
      const body = `${row},"metadata":{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`;
      mapped.oauthAdmin.before = (seen) => (seen.path.endsWith(`/${idOf(1)}`) ? { status: 200, body } : answer(seen));
      assert.deepEqual((await found(`?q=${idOf(1)}`)).clients, [{ ...stored(1), metadata: {} }]);
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
      assert.deepEqual([ids(page).at(-1), page.total, page.has_more], [idOf(7), 301, true]);
      const next = await found(`?page_size=2&page_token=${page.next_page_token}`);
      assert.deepEqual(ids(next), [idOf(8), idOf(9)]);
      mapped.oauthAdmin.before = (seen) => (seen.path.endsWith(idOf(3)) ? { status: 500 } : answer(seen));
      await assertError(await call('?page_size=9'), 502, 'bad_gateway');
    });
  });

  it('omits deleted clients, removes them from the index, and shows changed ones as they are now', async () => {
    await read(ALL);
    clients = ALL.filter(({ client_id }) => client_id !== idOf(5));
    clients[4] = stored(3, { client_name: 'Renamed' });
    const page = await found('?q=shop&page_size=8');
    assert.deepEqual(ids(page), [0, 1, 2, 3, 4, 6, 7].map(idOf));
    assert.equal(page.clients[3]?.['client_name'], 'Renamed');
    assert.equal(page.total, 299);
    assert.equal(page.has_more, true);
    await eventually(async () => (await found('?page_size=1')).index.clients, 300);
  });
});

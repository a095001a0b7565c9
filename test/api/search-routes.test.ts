import assert from 'node:assert/strict';
import { once } from 'node:events';
import { identitySearch, type SearchQuery } from '../../server/features/identities/identity-search.ts';
import type { IdentityIndex } from '../../server/search-index/search-index.ts';
import type { IdentityStore } from '../../server/upstream/identity-store.ts';
import type { AuditPage } from '../../shared/audit.ts';
import type { ClientSearchPage } from '../../shared/client-search.ts';
import type { Statistics } from '../../shared/dashboard.ts';
import type { IdentityCount, IdentitySearchPage } from '../../shared/identities.ts';
import { attempt } from '../../shared/json.ts';
import { indexReady } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { ReceivedRequest, StubResponse } from '../support/faulting-upstream.ts';
import { listPage } from '../support/faulting-upstream.ts';
import { identity, idOf } from '../support/index-rig.ts';
import { startMappedDashboard } from '../support/mapped-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { assertError } from '../support/settings-app.ts';

function person(index: number, over: object = {}) {
  const email = `p${index}@example.test`;
  return {
    ...identity(index),
    traits: { email, name: { first: 'Ada', last: `Lovelace ${index}` } } as Record<string, unknown>,
    verifiable_addresses: [{ value: email, verified: index % 2 === 0 }],
    ...over,
  };
}
type Person = ReturnType<typeof person>;

type Client = Record<string, unknown> & { client_id: string };
const clientIdOf = (index: number): string => `app-${String(index).padStart(3, '0')}`;
const client = (index: number, over: Record<string, unknown> = {}): Client => ({
  client_id: clientIdOf(index),
  client_name: `Shop ${index}`,
  owner: index % 2 === 0 ? 'Payments' : 'Logistics',
  grant_types: ['authorization_code'],
  ...over,
});

describe('the search route', () => {
  const mapped = ofSuite(startMappedDashboard);
  let people: Person[];
  let clients: Client[];

  function listPeople(request: ReceivedRequest): StubResponse | undefined {
    const url = new URL(request.path, 'http://store');
    if (url.pathname !== '/admin/identities') return undefined;
    const ids = url.searchParams.getAll('ids');
    if (ids.length > 0) return listPage(request, people.filter(({ id }) => ids.includes(id)).toReversed());
    const identifier = url.searchParams.get('credentials_identifier')?.toLowerCase();
    const listed = identifier === undefined ? people : people.filter(({ traits }) => traits['email'] === identifier);
    return listPage(request, listed);
  }
  function listClients(request: ReceivedRequest): StubResponse | undefined {
    const { pathname } = new URL(request.path, 'http://server');
    if (pathname === '/admin/clients') return listPage(request, clients);
    const [, id] = /^\/admin\/clients\/([^/]+)$/.exec(pathname) ?? [];
    if (id === undefined) return undefined;
    const body = JSON.stringify(clients.find(({ client_id }) => client_id === decodeURIComponent(id)));
    return body === undefined
      ? { status: 404, body: '{"error":"Unable to locate the resource","error_description":""}' }
      : { status: 200, body };
  }
  /** Restarts the service, which then indexes these people and clients. */
  async function index(lists: { people?: Person[]; clients?: Client[] }): Promise<void> {
    ({ people = [], clients = [] } = lists);
    await mapped.restart();
    mapped.identityAdmin.before = listPeople;
    mapped.oauthAdmin.before = listClients;
    await indexReady(mapped.dashboard, mapped.sessions.admin);
  }
  const call = (path: string) => mapped.dashboard.call(path, { session: mapped.sessions.admin });
  async function json<T>(path: string): Promise<T> {
    const response = await call(path);
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as T;
  }

  it('responds 400 to an invalid parameter, and names it', async () => {
    const token = Buffer.from(JSON.stringify(['text', idOf(1)])).toString('base64url');
    for (const [query, field, code = 'bad_request'] of [
      ['identities/search?q=%00', 'q'],
      ['identities/search?state=gone', 'state'],
      ['identities/search?verified=1', 'verified'],
      ['identities/search?session_to=2026-02-30', 'session_to'],
      ['identities/search?no_session=true&session_from=2026-01-01', 'no_session'],
      ['identities/search?sort=name', 'sort'],
      ['identities/search?page_size=251', 'page_size', 'invalid_page_size'],
      ['identities/search?page_token=x', 'token', 'invalid_page_token'],
      [`identities/search?page_token=${token}`, 'token', 'invalid_page_token'],
      ['oauth-clients/search?page_size=251', 'page_size', 'invalid_page_size'],
      ['oauth-clients/search?page_token=x', 'token', 'invalid_page_token'],
    ] as const) {
      const { message } = await assertError(await call(`/api/${query}`), 400, code);
      assert.match(message, new RegExp(field), query);
    }
  });

  describe('GET /api/identities/search', () => {
    const PATH = '/api/identities/search';
    const search = (query: string) => json<IdentitySearchPage>(`${PATH}?${query}`);
    const idsOf = ({ identities }: IdentitySearchPage): string[] => identities.map(({ id }) => id);
    const lovelaces = (): Person[] => Array.from({ length: 300 }, (_, number) => person(number));

    describe('with 300 people', () => {
      before(() => {
        const all = lovelaces();
        const name = { first: 'Zoë', last: "Gödel-Weiß O'Neil" };
        all[7] = person(7, {
          traits: { email: 'zoe@example.test', name, phone: '+491701234567', note: '数学が好き Χρίστος' },
        });
        for (const [number, last] of [
          [8, 'Quince (Berlin)'],
          [9, 'Berlin'],
        ] as const)
          all[number] = person(number, { traits: { email: `p${number}@example.test`, name: { last } } });
        return index({ people: all });
      });

      it('finds people by any part of a text, or two characters at the start of a word, ignoring case and accents', async () => {
        for (const q of ['zoë', 'GODEL', 'öde', '数', '数学', 'ΧΡΙΣ', 'zo', 'oe@exam'])
          assert.deepEqual(idsOf(await search(`q=${encodeURIComponent(q)}`)), [idOf(7)], q);
        const page = await search('q=zoe');
        const { verifiable_addresses: _, ...row } = people[7] as Person;
        assert.deepEqual(page.identities, [{ ...row, last_session_at: null }]);
        assert.equal(page.total, 1);
        assert.deepEqual([page.index.complete, page.index.identities], [true, 300]);
        assert.ok(Math.abs(Date.parse(page.index.as_of ?? '') - Date.now()) < 600_000);
        assert.deepEqual(idsOf(await search('q=oe')), [], 'two characters match only the beginning of a word');
      });

      it('requires all words of a search, in any order and with any punctuation pasted along', async () => {
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
          'Zoë B. <zoe@example.test>',
          '\u200e(zoe@example.test)\u200f',
          '{"email": "zoe@example.test"},',
          'E-Mail: zoe@example.test;',
          'mailto:zoe%40example.test?subject=Hi%20you',
          "smtp:'zoe@example.test' (verified)",
          '<a href="mailto:zoe@example.test">zoe@example.test</a>',
          'tel:+49-170-123-4567',
          '+49 (0)170 123 4567 (work)',
          `urn:uuid:${idOf(7)}`,
          `identity_id:${idOf(7)}.`,
          `https://x.test/identities/${idOf(7)}?tab=json`,
        ])
          assert.deepEqual(idsOf(await search(`q=${encodeURIComponent(q)}`)), [idOf(7)], q);
        assert.deepEqual(idsOf(await search('q=zoe+lovelace')), []);
      });

      it('finds a text as typed, or else without the signs around it, and records it once', async () => {
        for (const [q, ...ids] of [
          ['(Berlin)', idOf(8)],
          ['*Berlin*', idOf(9), idOf(8)],
        ] as const) {
          const query = new URLSearchParams({ q }).toString();
          assert.deepEqual(idsOf(await search(query)), ids, q);
          const { events } = await json<AuditPage>('/api/security/audit?action=identity_search&page_size=2');
          assert.deepEqual([events[0]?.target, events[1]?.target === query], [query, false]);
          assert.deepEqual((await json<{ ids: string[] }>(`${PATH}/ids?${query}`)).ids, ids.toSorted());
          assert.equal((await json<IdentityCount>(`${PATH}/count?${query}`)).count, ids.length);
        }
        const { next_page_token: token } = await search('q=*Berlin*&page_size=1');
        assert.deepEqual(idsOf(await search(`q=*Berlin*&page_size=1&page_token=${token}`)), [idOf(8)]);
      });

      it('finds nobody, no session and no client by nothing but signs', async () => {
        for (const q of ['"', '()', '\u200e', '´', ' '].map(encodeURIComponent)) {
          assert.deepEqual(
            [(await search(`q=${q}`)).total, (await json<IdentityCount>(`${PATH}/count?q=${q}`)).count],
            [0, 0],
          );
          assert.deepEqual((await json<{ ids: string[] }>(`${PATH}/ids?q=${q}`)).ids, []);
          for (const path of ['oauth-clients/search?q', 'security/sessions?q', 'security/sessions?device'])
            assert.equal((await json<{ total: number }>(`/api/${path}=${q}`)).total, 0, path);
        }
      });

      it('returns the same total as /api/identities/total and the overview', async () => {
        const page = await search('');
        assert.equal(page.total, 300);
        assert.deepEqual(await json('/api/identities/total'), { total: page.total, as_of: page.index.as_of });
        const { identities } = await json<Statistics>('/api/dashboard/statistics');
        assert.equal(identities?.total, page.total);
      });

      it('records the query of a search and of a request for ids, but not of a count', async () => {
        await search('q=ada&state=active&page_size=5');
        const { ids } = await json<{ ids: string[] }>(`${PATH}/ids?q=p1`);
        assert.equal(ids.length, 111);
        await call(`${PATH}/count?q=p2`);
        const { events } = await json<AuditPage>('/api/security/audit?action=identity_search');
        const targets = events.map(({ target }) => target);
        assert.deepEqual(targets.slice(0, 2), ['q=p1', 'q=ada&state=active']);
      });
    });

    it('omits people deleted since the last sync, and marks those who no longer match', async () => {
      await index({ people: lovelaces() });
      people = people.filter((_, number) => number !== 5);
      people[3] = person(3, { state: 'inactive' });
      const { identities } = await search('state=active&sort=created&order=asc&page_size=6');
      assert.deepEqual(
        identities.map(({ id, changed }) => [id, changed]),
        [0, 1, 2, 3, 4].map((number) => [idOf(number), number === 3 ? true : undefined]),
      );
      assert.equal((await search('state=active')).total, 299);
    });

    it('pages through identifiers that become very long when they are normalised', async () => {
      await index({
        people: [0, 1, 2].map((number) => person(number, { traits: { email: `${number}${'각'.repeat(200)}` } })),
      });
      const ids: string[] = [];
      for (let token: string | null = ''; token !== null; ) {
        const page: IdentitySearchPage = await search(`sort=identifier&order=asc&page_size=1&page_token=${token}`);
        ids.push(...idsOf(page));
        token = page.next_page_token;
      }
      assert.deepEqual(
        ids,
        [0, 1, 2].map((number) => idOf(number)),
      );
    });

    it('finds a person who is not yet in the index by the exact identifier, if they match the other filters', async () => {
      await index({ people: lovelaces() });
      people.push(person(999, { traits: { email: 'new@example.test' } }));
      for (const q of ['New@Example.test', '(New@Example.test)', `id=${idOf(999)}`])
        assert.deepEqual(idsOf(await search(`q=${encodeURIComponent(q)}`)), [idOf(999)], q);
      assert.deepEqual(idsOf(await search('q=New@Example.test&session_from=2020-01-01')), [], 'without a session');
      assert.deepEqual(idsOf(await search('q=P7@Example.test&no_session=true')), [idOf(7)]);
      assert.deepEqual(idsOf(await search('q=P7@Example.test&session_to=2020-01-01')), []);
    });

    it('returns what the index has found if the store is slow to look up the exact identifier, or fails to', async () => {
      await index({ people: lovelaces() });
      for (const response of ['silence', { status: 500, body: '{}' }, undefined] as const) {
        mapped.identityAdmin.before = (request) =>
          (request.path.includes('credentials_identifier') && response) || listPeople(request);
        const pages = await Promise.all(['P7', 'P8'].map((name) => search(`q=${name}@Example.test`)));
        assert.deepEqual(pages.map(idsOf), [[idOf(7)], [idOf(8)]]);
        for (const { exact } of pages) assert.equal(exact, response && 'unfinished');
      }
    });

    it('looks up one exact identifier of a session at a time, and aborts a look-up that takes too long', async () => {
      let [most, running] = [0, 0];
      const text = async (_path: string, _query: object, { signal }: { signal: AbortSignal }) => {
        running += 1;
        most = Math.max(most, running);
        await once(signal, 'abort');
        running -= 1;
        throw new Error('aborted');
      };
      const searchIdentities = async () => ({ value: { identities: [], total: 0 }, complete: true, size: 0, asOf: 0 });
      const routes = identitySearch(
        { searchIdentities } as unknown as IdentityIndex,
        { text } as unknown as IdentityStore,
      );
      const query = { filter: {}, typed: 'ada@example.test' } as SearchQuery;
      const pages = await Promise.all(['one', 'one', 'other', 'one'].map((session) => routes.page(session, query)));
      for (const page of pages) assert.equal(JSON.parse(page).exact, 'unfinished');
      assert.deepEqual([most, running], [2, 0]);
    });

    it('rejects a request for more than 10,000 ids instead of returning some of them', async () => {
      const identityIds = async (_session: string, _query: unknown, most: number) => ({
        value: Array(most).fill(idOf(1)),
      });
      const routes = identitySearch({ identityIds } as unknown as IdentityIndex, {} as IdentityStore);
      await assert.rejects(routes.ids('', { filter: {} } as SearchQuery), /More than 10,000 identities match/);
    });
  });

  describe('GET /api/oauth-clients/search', () => {
    const PATH = '/api/oauth-clients/search';
    const search = (query: string) => json<ClientSearchPage>(`${PATH}?${query}`);
    const idsOf = (page: ClientSearchPage): unknown[] => page.clients.map(({ client_id }) => client_id);
    /** The first client in byte order. */
    const ZOE: Client = { client_id: 'Zeta', client_name: 'Größe & Maß', owner: 'Zoë', logo_uri: 'https://x.test/z' };
    const ALL: readonly Client[] = [ZOE, ...Array.from({ length: 300 }, (_, number) => client(number))];

    it('has all of an empty list with ever more pages, but not of one whose page names itself as the next', async () => {
      for (const [listed, next, complete] of [
        [[], () => mapped.oauthAdmin.requests.length, true],
        [[client(1)], () => 'a', false],
      ] as const) {
        await mapped.restart();
        clients = [...listed];
        mapped.oauthAdmin.before = (request) =>
          request.path.includes('page_size')
            ? { status: 200, headers: { Link: `</?page_token=${next()}>; rel="next"` }, body: JSON.stringify(listed) }
            : listClients(request);
        const { total, index } = await search('page_size=1');
        assert.deepEqual([total, index.complete], [listed.length, complete]);
      }
    });

    describe('with 301 clients', () => {
      before(() => index({ clients: [...ALL] }));
      beforeEach(() => {
        clients = [...ALL];
        mapped.oauthAdmin.before = listClients;
      });

      it('finds clients by any part of id, name or owner, or two characters at the start of a word, ignoring case and accents', async () => {
        for (const q of ['größe', 'GRO', 'oße', 'zo', 'ZOË', 'zeta', 'eta'])
          assert.deepEqual(idsOf(await search(`q=${encodeURIComponent(q)}`)), ['Zeta'], q);
        const page = await search('q=zoe');
        assert.deepEqual(page.clients, [ZOE]);
        assert.equal(page.total, 1);
        assert.deepEqual([page.index.complete, page.index.clients], [true, 301]);
        assert.ok(Math.abs(Date.parse(page.index.as_of) - Date.now()) < 600_000);
        assert.deepEqual(idsOf(await search('q=oe')), [], 'two characters match only the beginning of a word');
      });

      it('returns no secret of a client, whatever Hydra sends', async () => {
        const secrets = { client_secret: 'hush-1', registration_access_token: 'hush-2', client_secret_expires_at: 0 };
        clients = [client(1, secrets)];
        const text = await (await call(`${PATH}?q=${clientIdOf(1)}`)).text();
        assert.doesNotMatch(text, /hush|"client_secret"|registration_access_token/);
        assert.deepEqual((JSON.parse(text) as ClientSearchPage).clients, [
          { ...client(1), client_secret_expires_at: 0 },
        ]);
      });

      it('returns a client without its metadata if that is nested too deeply', async () => {
        const row = JSON.stringify(client(1)).slice(0, -1);
        const deep = `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
        const body = `${row},"metadata":${deep}}`;
        // Node 26 has no limit.
        const metadata = attempt(() => JSON.stringify(JSON.parse(deep))) ?? '{}';
        mapped.oauthAdmin.before = (request) =>
          request.path.endsWith(`/${clientIdOf(1)}`) ? { status: 200, body } : listClients(request);
        const [found] = (await search(`q=${clientIdOf(1)}`)).clients;
        assert.equal(JSON.stringify(found), `${row},"metadata":${metadata}}`);
      });

      it('returns the next page for its token, and responds 502 if Hydra fails for one client', async () => {
        const page = await search('page_size=9');
        assert.deepEqual([idsOf(page).at(-1), page.total, page.has_more], [clientIdOf(7), 301, true]);
        const next = await search(`page_size=2&page_token=${page.next_page_token}`);
        assert.deepEqual(idsOf(next), [clientIdOf(8), clientIdOf(9)]);
        mapped.oauthAdmin.before = (request) =>
          request.path.endsWith(clientIdOf(3)) ? { status: 500 } : listClients(request);
        await assertError(await call(`${PATH}?page_size=9`), 502, 'bad_gateway');
      });
    });

    it('omits clients deleted since the last sync, removes them from the index, and returns changed ones as they are', async () => {
      await index({ clients: [...ALL] });
      clients = ALL.filter(({ client_id }) => client_id !== clientIdOf(5));
      clients[4] = client(3, { client_name: 'Renamed' });
      const page = await search('q=shop&page_size=8');
      assert.deepEqual(idsOf(page), [0, 1, 2, 3, 4, 6, 7].map(clientIdOf));
      assert.equal(page.clients[3]?.['client_name'], 'Renamed');
      assert.equal(page.total, 299);
      assert.equal(page.has_more, true);
      await eventually(async () => (await search('page_size=1')).index.clients, 300);
    });
  });
});

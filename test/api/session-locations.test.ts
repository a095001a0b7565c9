import assert from 'node:assert/strict';
import type { AuditPage } from '../../shared/audit.ts';
import type { IdentitySearchPage } from '../../shared/identity-search.ts';
import { EXPANDED_SESSIONS_PAGE, type LocatedSessions, type SessionLocations } from '../../shared/session-locations.ts';
import type { GivenAnswer } from '../support/faulting-upstream.ts';
import { listedPage, listedSession } from '../support/listed-pages.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';

const DAY_MS = 86_400_000;
const ago = (days: number): Date => new Date(Date.now() - days * DAY_MS);

describe('places of sessions', () => {
  let mapped: MappedDashboard;
  before(async () => {
    mapped = await startMappedDashboard();
  });
  beforeEach(() => mapped.restart());
  after(() => mapped.close());

  /** The store lists these sessions from now on. */
  function list(items: Parameters<typeof listedPage>[1]): void {
    const known = Array.isArray(items) ? items : Array.from({ length: items.length }, (_, index) => items.at(index));
    mapped.identityAdmin.before = (seen) => {
      const id = /^\/admin\/sessions\/([\da-f-]+)/.exec(seen.path)?.[1];
      if (id === undefined) return seen.path.startsWith('/admin/sessions') ? listedPage(seen, known) : undefined;
      const session = known.find((one) => (one as { id: string }).id === id);
      if (session === undefined) return { status: 404, body: '{"error":{"code":404}}' };
      return { status: 200, body: JSON.stringify(session) };
    };
  }
  const call = (path: string, session = mapped.sessions.viewer) => mapped.dashboard.call(path, { session });
  async function locations(query = ''): Promise<SessionLocations> {
    const answer = await call(`/api/session-locations${query}`);
    assert.equal(answer.status, 200);
    return (await answer.json()) as SessionLocations;
  }
  async function located(query: string): Promise<LocatedSessions> {
    const answer = await call(`/api/security/sessions${query}`, mapped.sessions.admin);
    assert.equal(answer.status, 200, await answer.clone().text());
    return (await answer.json()) as LocatedSessions;
  }

  const KNOWN = [
    listedSession(0, { at: ago(0.1) }),
    listedSession(1, { at: ago(2), ip: '203.0.113.9:51234' }),
    listedSession(2, { at: ago(5), ip: '[2001:db8::1]:5123' }),
    listedSession(3, { at: ago(8), ip: '2001:db8::2%eth0' }),
    listedSession(4, { at: ago(9), ip: '::ffff:198.51.100.7', active: false }),
    listedSession(5, { at: ago(20), ip: '192.0.2.7' }),
    listedSession(6, { at: ago(40), ip: '203.0.113.8', expires_at: ago(39).toISOString() }),
    listedSession(7, { at: ago(60), ip: '10.0.0.1' }),
    listedSession(8, { at: ago(61), ip: null }),
    listedSession(9, { at: ago(62), ip: 'unknown' }),
    { ...listedSession(10, { at: ago(63) }), devices: null, identity: null },
  ];

  it('are circles ordered by size, unknown places counted separately, without addresses or identities', async () => {
    list(KNOWN);
    const answer = await locations();
    assert.deepEqual(answer, {
      points: [
        { lat: 60, lng: 11, label: 'Oslo, Norway', count: 3 },
        { lat: 63, lng: 16.5, label: 'Sweden', count: 2 },
        { lat: 60.5, lng: 5.5, label: 'Bergen, Norway', count: 1 },
        { lat: 61.5, lng: 9, label: 'Norway', count: 1 },
      ],
      unknown: 4,
      sessions: 11,
      truncated: false,
      as_of: answer.as_of,
    });
    assert.ok(Math.abs(Date.parse(answer.as_of) - Date.now()) < 60_000);
    assert.doesNotMatch(JSON.stringify(answer), /\d+\.\d+\.\d+\.\d+|2001:|example\.test|1de7|5e55/);
  });

  it('cover the requested days and state', async () => {
    list(KNOWN);
    const count = async (query: string): Promise<[sessions: number, unknown: number]> => {
      const { sessions, unknown, points } = await locations(query);
      assert.equal(
        points.reduce((sum, point) => sum + point.count, unknown),
        sessions,
      );
      return [sessions, unknown];
    };
    assert.deepEqual(await count('?days=1'), [1, 0]);
    assert.deepEqual(await count('?days=7'), [3, 0]);
    assert.deepEqual(await count('?days=365'), [11, 4]);
    // Each session of the list expires a day after its sign-in.
    assert.deepEqual(await count('?active=true'), [1, 0]);
    assert.deepEqual(await count('?days=365&active=true'), [1, 0]);
  });

  for (const query of [
    'days=0',
    'days=366',
    'days=1.5',
    'days=-1',
    'days=x',
    'days=',
    'days=1&days=2',
    'active=1',
    'active=false',
    'active=',
  ])
    it(`are refused for ${query}`, async () => {
      list([]);
      const answer = await call(`/api/session-locations?${query}`);
      assert.equal(answer.status, 400);
      assert.equal(((await answer.json()) as { error: string }).error, 'bad_request');
      assert.equal(mapped.identityAdmin.seen.length, 0);
    });

  it('are read page by page with identities and devices, once for all who ask', async () => {
    list({ length: 600, at: (index) => listedSession(index) });
    const [answers, found] = await Promise.all([
      Promise.all(Array.from({ length: 5 }, () => locations())),
      Promise.all(Array.from({ length: 5 }, () => located('?lat=60&lng=11&page_size=1'))),
    ]);
    for (const { sessions } of answers) assert.equal(sessions, 600);
    for (const { total } of found) assert.equal(total, 600);
    await locations('?days=3');
    assert.equal((await call('/api/dashboard/statistics')).status, 200);
    const pages = mapped.identityAdmin.seen
      .filter(({ path }) => path.startsWith('/admin/sessions?'))
      .map(({ path }) => new URL(path, 'http://x').searchParams);
    for (const page of pages) {
      // The upstream's cost grows with the square of an expanded page.
      assert.ok(Number(page.get('page_size')) <= EXPANDED_SESSIONS_PAGE);
      assert.deepEqual(page.getAll('expand'), ['identity', 'devices']);
    }
    const tokens = pages.map((page) => page.get('page_token'));
    assert.equal(new Set(tokens).size, tokens.length);
  });

  it('are of what was read when the store breaks off half-way', async () => {
    const pages = { length: 900, at: (index: number) => listedSession(index) };
    const from = (path: string): number => Number(new URL(path, 'http://x').searchParams.get('page_token'));
    let read = 0;
    mapped.identityAdmin.before = (seen) => {
      if (!seen.path.startsWith('/admin/sessions')) return undefined;
      if (from(seen.path) >= 500) return 'silence';
      const page = listedPage(seen, pages);
      if (page !== 'silence') read += (JSON.parse(String(page.body)) as unknown[]).length;
      return page;
    };
    const { sessions, truncated } = await locations();
    assert.ok(sessions >= 500);
    assert.deepEqual({ sessions, truncated }, { sessions: read, truncated: true });
  });

  describe('behind a circle', () => {
    it('are its people, the latest sign-ins first, with address and device', async () => {
      list(KNOWN.toReversed());
      const { as_of, ...answer } = await located('?lat=59.9&lng=10.8');
      assert.ok(Date.parse(as_of) > 0);
      assert.equal(answer.total, 3);
      assert.equal(answer.truncated, false);
      assert.deepEqual(
        answer.sessions.map(({ ip, active, place }) => ({ ip, active, place })),
        [
          { ip: '203.0.113.7', active: true, place: 'Oslo, Norway' },
          { ip: '203.0.113.9', active: false, place: 'Oslo, Norway' },
          { ip: '203.0.113.8', active: false, place: 'Oslo, Norway' },
        ],
      );
      const [first] = answer.sessions;
      assert.equal(first?.id, KNOWN[0]?.['id']);
      assert.equal(first?.identity_id, '00000000-0000-4000-8000-000000001de7');
      assert.equal(first?.authenticated_at, KNOWN[0]?.['authenticated_at']);
      assert.equal(first?.expires_at, KNOWN[0]?.['expires_at']);
      assert.equal(first?.device, 'Mozilla/5.0 (X11; Linux x86_64)');
      assert.deepEqual(Object.keys(first ?? {}).sort(), [
        'active',
        'authenticated_at',
        'device',
        'expires_at',
        'id',
        'identity_id',
        'ip',
        'place',
      ]);
    });

    it('are as many as its count, also for days and state', async () => {
      list(KNOWN);
      for (const filter of ['', '&days=7', '&active=true'])
        for (const { lat, lng, count } of (await locations(filter.replace('&', '?'))).points)
          assert.equal((await located(`?lat=${lat}&lng=${lng}${filter}`)).total, count);
      assert.equal((await located('?lat=0&lng=0')).total, 0);
      const unknown = await located('?unknown=true');
      assert.deepEqual([unknown.total, unknown.sessions.map(({ ip }) => ip)], [4, ['10.0.0.1', null, null, null]]);
    });

    it('are 250 at most on a page, with the number of all, and page by page all of them', async () => {
      list({ length: 300, at: (index) => listedSession(index, { at: new Date(Date.now() - index * 1000) }) });
      const { sessions, total, has_more, next_page_token } = await located('?lat=60&lng=11');
      assert.deepEqual(
        [sessions.length, total, has_more, sessions[0]?.id, sessions[249]?.id],
        [250, 300, true, listedSession(0)['id'], listedSession(249)['id']],
      );
      const rest = await located(`?lat=60&lng=11&page_token=${next_page_token}`);
      assert.deepEqual(
        [rest.sessions.length, rest.total, rest.has_more, rest.next_page_token, rest.sessions[0]?.id],
        [50, 300, false, null, listedSession(250)['id']],
      );
      const ids = await call('/api/security/sessions/ids?lat=60&lng=11', mapped.sessions.admin);
      assert.deepEqual(
        ((await ids.json()) as { ids: string[] }).ids,
        [...sessions, ...rest.sessions].map(({ id }) => id),
      );
    });

    it('show a long User-Agent’s beginning', async () => {
      const device = { ip_address: '203.0.113.7', user_agent: 'A'.repeat(512) };
      list([{ ...listedSession(0), devices: [device] }]);
      assert.equal((await located('?lat=60&lng=11')).sessions[0]?.device?.length, 200);
    });

    it('are found by a part of the place, of the device or of the person, who is named in the trail', async () => {
      const browsers = ['X11; Linux x86_64) Firefox/140.0', 'Windows NT 10.0; Win64; x64) Firefox/140.0'];
      list(
        KNOWN.slice(0, 6).map((session, at) => ({
          ...session,
          devices: [
            { ip_address: ['203.0.113.7', '198.51.100.7'][at % 2], user_agent: `Mozilla/5.0 (${browsers[at % 2]}` },
          ],
        })),
      );
      const ids = async (query: string): Promise<unknown[]> => (await located(query)).sessions.map(({ id }) => id);
      const all = KNOWN.slice(0, 6).map(({ id }) => id);
      assert.deepEqual(await ids(''), all);
      assert.deepEqual(
        await ids('?place=erge'),
        all.filter((_, at) => at % 2 === 1),
      );
      assert.deepEqual(
        await ids('?device=LINUX'),
        all.filter((_, at) => at % 2 === 0),
      );
      assert.deepEqual(await ids('?place=berg&device=linux'), []);
      const people = (await (await call('/api/identities/search', mapped.sessions.admin)).json()) as IdentitySearchPage;
      const [person] = people.identities;
      list([{ ...listedSession(1), identity: { id: person?.id } }, listedSession(2)]);
      await mapped.restart();
      list([{ ...listedSession(1), identity: { id: person?.id } }, listedSession(2)]);
      const sought = String(person?.traits['email']).slice(1, -1);
      const found = await located(`?q=${encodeURIComponent(sought)}`);
      assert.deepEqual(
        found.sessions.map(({ identity_id }) => identity_id),
        [person?.id],
      );
      const trail = await call('/api/security/audit?action=identity_search&page_size=1', mapped.sessions.admin);
      const [record] = ((await trail.json()) as AuditPage).events;
      assert.equal(record?.target, `sessions:${new URLSearchParams({ q: sought })}`);
    });

    it('are left out once the store no longer has them', async () => {
      list(KNOWN);
      assert.equal((await located('?lat=60&lng=11')).total, 3);
      list(KNOWN.slice(1));
      const { sessions, total } = await located('?lat=60&lng=11');
      assert.deepEqual([sessions.length, total], [2, 2]);
      assert.equal((await locations()).sessions, 10);
    });

    for (const query of [
      '?lat=60',
      '?lng=11',
      '?lat=91&lng=0',
      '?lat=0&lng=181',
      '?lat=x&lng=0',
      '?lat=&lng=',
      '?lat=1&lat=2&lng=3',
      '?unknown=false',
      '?unknown=true&lat=1&lng=1',
      '?q=a&q=b',
      '?device=%00',
      '?place=%CC%81',
      '?page_size=251',
      '?page_token=x',
      `?page_token=${Buffer.from('["a","00000000-0000-4000-8000-000000001de7"]').toString('base64url')}`,
    ])
      it(`are refused for ${query}`, async () => {
        assert.equal((await call(`/api/security/sessions${query}`, mapped.sessions.admin)).status, 400);
      });

    it('are for admins only', async () => {
      assert.equal((await call('/api/security/sessions?lat=60&lng=11')).status, 403);
      assert.equal((await mapped.dashboard.call('/api/security/sessions?lat=60&lng=11')).status, 401);
    });
  });

  const FAULTS: [fault: string, answer: GivenAnswer, status: number][] = [
    ['is silent', 'silence', 504],
    ['refuses the key', { status: 401, body: '{"error":{"code":401}}' }, 502],
    ['fails', { status: 500, body: '{"error":{"message":"dial tcp 10.1.2.3:5432"}}' }, 502],
    ['limits requests', { status: 429, body: '{}' }, 502],
    ['redirects', { status: 302, headers: { Location: 'http://elsewhere.test/' } }, 502],
    ['answers HTML', { status: 200, headers: { 'Content-Type': 'text/html' }, body: '<html>' }, 502],
    ['answers no list', { status: 200, body: '{"sessions":[]}' }, 502],
    ['lists what are no sessions', { status: 200, body: '[{"id":"1"},null]' }, 502],
    ['lists endless identifiers', { status: 200, body: JSON.stringify([{ id: 'x'.repeat(1000) }]) }, 502],
  ];
  for (const [fault, given, status] of FAULTS)
    it(`are ${status} while the store ${fault}, without details, and recover with it`, async () => {
      mapped.identityAdmin.before = () => given;
      for (const path of ['/api/session-locations', '/api/security/sessions?lat=60&lng=11']) {
        const answer = await call(path, mapped.sessions.admin);
        const text = await answer.text();
        assert.equal(answer.status, status, text);
        assert.deepEqual(Object.keys(JSON.parse(text) as object), ['error', 'message']);
        assert.doesNotMatch(text, /10\.1\.2\.3|127\.0\.0\.1|elsewhere|localhost|admin|dial/);
      }
      await mapped.restart();
      list(KNOWN);
      assert.equal((await locations()).sessions, 11);
    });

  it('are 502 where the store is not there, or has no address', async () => {
    await mapped.restart({ IDENTITY_ADMIN_URL: 'http://127.0.0.1:1' });
    assert.equal((await call('/api/session-locations')).status, 502);
    await mapped.restart({ IDENTITY_ADMIN_URL: '' });
    assert.equal((await call('/api/session-locations')).status, 502);
    await mapped.restart();
  });

  it('are all unknown without a file that places addresses', async () => {
    await mapped.restart({ GEOIP_DATABASE: 'off' });
    list(KNOWN);
    const { points, unknown, sessions } = await locations();
    assert.deepEqual({ points, unknown, sessions }, { points: [], unknown: 11, sessions: 11 });
  });
});

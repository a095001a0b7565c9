import assert from 'node:assert/strict';
import type { LocatedSessions, SessionLocations } from '../../shared/session-locations.ts';
import { becomes } from '../support/becomes.ts';
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
    mapped.identityAdmin.before = (seen) =>
      seen.path.startsWith('/admin/sessions') ? listedPage(seen, items) : undefined;
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
    const answers = await Promise.all([
      ...Array.from({ length: 5 }, () => locations()),
      ...Array.from({ length: 5 }, () => located('?lat=60&lng=11')),
    ]);
    assert.ok(
      answers.every(
        (answer) =>
          ('sessions' in answer && typeof answer.sessions === 'number'
            ? answer.sessions
            : (answer as LocatedSessions).total) === 600,
      ),
    );
    await locations('?days=3');
    assert.equal((await call('/api/dashboard/statistics')).status, 200);
    const asked = mapped.identityAdmin.seen.filter(({ path }) => path.startsWith('/admin/sessions'));
    assert.deepEqual(
      asked.map(({ path }) => new URL(path, 'http://x').search),
      [
        '?page_size=50&expand=identity&expand=devices',
        // The upstream's cost grows with the square of an expanded page.
        '?page_size=250&expand=identity&expand=devices&page_token=50',
        '?page_size=250&expand=identity&expand=devices&page_token=300',
        '?page_size=250&expand=identity&expand=devices&page_token=550',
      ],
    );
  });

  it('are those of the latest 20,000 sessions where there are more', async () => {
    list({ length: 30_000, at: (index) => listedSession(index) });
    // On a busy machine the first answer is of what was read by then.
    const found = async (): Promise<unknown> => {
      const { sessions, truncated } = await locations();
      return { sessions, truncated };
    };
    await becomes(found, { sessions: 20_000, truncated: true }, undefined, 50_000);
    assert.equal(mapped.identityAdmin.seen.length, 81);
    assert.equal(mapped.identityAdmin.mostAtOnce, 1);
  });

  it('are of what was read when the store breaks off half-way', async () => {
    const pages = { length: 3_000, at: (index: number) => listedSession(index) };
    mapped.identityAdmin.before = (seen) =>
      seen.path.includes('page_token=2050') ? 'silence' : listedPage(seen, pages);
    const { sessions, truncated } = await locations();
    assert.deepEqual({ sessions, truncated }, { sessions: 2_050, truncated: true });
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

    it('are 250 at most, with the number of all', async () => {
      list({ length: 300, at: (index) => listedSession(index, { at: new Date(Date.now() - index * 1000) }) });
      const { sessions, total } = await located('?lat=60&lng=11');
      assert.deepEqual(
        [sessions.length, total, sessions[0]?.id, sessions[249]?.id],
        [250, 300, listedSession(0)['id'], listedSession(249)['id']],
      );
    });

    it('show a long User-Agent’s beginning', async () => {
      const device = { ip_address: '203.0.113.7', user_agent: 'A'.repeat(512) };
      list([{ ...listedSession(0), devices: [device] }]);
      assert.equal((await located('?lat=60&lng=11')).sessions[0]?.device?.length, 200);
    });

    for (const query of [
      '',
      '?lat=60',
      '?lng=11',
      '?lat=91&lng=0',
      '?lat=0&lng=181',
      '?lat=x&lng=0',
      '?lat=&lng=',
      '?lat=1&lat=2&lng=3',
      '?unknown=false',
      '?unknown=true&lat=1&lng=1',
    ])
      it(`are refused for ${query || 'no place at all'}`, async () => {
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

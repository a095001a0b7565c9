import assert from 'node:assert/strict';
import type { AuditPage } from '../../shared/audit.ts';
import type { Statistics } from '../../shared/dashboard.ts';
import type { IdentitySearchPage } from '../../shared/identities.ts';
import type { GeoResponse, LocatedSessions, SessionIds, SessionLocations } from '../../shared/locations.ts';
import { eventually } from '../support/eventually.ts';
import { listPage, sessionItem } from '../support/faulting-upstream.ts';
import { startMappedDashboard } from '../support/mapped-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { assertError } from '../support/settings-app.ts';

describe('GET /api/geo', () => {
  const mapped = ofSuite(startMappedDashboard);

  async function locate(query: string, headers: Record<string, string> = {}): Promise<GeoResponse> {
    const response = await mapped.dashboard.call(`/api/geo${query}`, { session: mapped.sessions.viewer, headers });
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as GeoResponse;
  }
  const NOWHERE = { found: false, city: null, country: null, country_code: null, lat: null, lng: null };
  const notFound = (ip: string) => ({ ip, ...NOWHERE });
  const NORWAY = { found: true, country: 'Norway', country_code: 'NO' };

  it('returns locations in the order of the query, and one point per place, the largest count first', async () => {
    const addresses = ['203.0.113.1', '192.0.2.1', '10.0.0.1', '203.0.113.2', '2001:db8::1'];
    assert.deepEqual(await locate(`?${addresses.map((ip) => `ip=${encodeURIComponent(ip)}`).join('&')}`), {
      locations: [
        { ip: '203.0.113.1', ...NORWAY, city: 'Oslo', lat: 59.91, lng: 10.75 },
        { ip: '192.0.2.1', ...NORWAY, city: null, lat: 61.4, lng: 8.8 },
        notFound('10.0.0.1'),
        { ip: '203.0.113.2', ...NORWAY, city: 'Oslo', lat: 59.91, lng: 10.75 },
        { ip: '2001:db8::1', found: true, city: null, country: 'Sweden', country_code: 'SE', lat: 62.8, lng: 16.7 },
      ],
      points: [
        { lat: 60, lng: 11, label: 'Oslo, Norway', count: 2 },
        { lat: 61.5, lng: 9, label: 'Norway', count: 1 },
        { lat: 63, lng: 16.5, label: 'Sweden', count: 1 },
      ],
    });
  });

  it('locates the caller if the query is empty, and uses X-Forwarded-For only from a trusted proxy', async () => {
    const forwarded = { 'x-forwarded-for': '203.0.113.9', 'x-real-ip': '203.0.113.9' };
    assert.deepEqual(await locate('', forwarded), { locations: [notFound('127.0.0.1')], points: [] });
    await mapped.restart({ TRUST_PROXY: '1' });
    assert.equal((await locate('', forwarded)).locations[0]?.city, 'Oslo');
  });

  it('finds nothing if GEOIP_DATABASE is off or names a missing file, and finds countries if it is unset', async () => {
    for (const GEOIP_DATABASE of ['off', '/nowhere/locations.mmdb']) {
      await mapped.restart({ GEOIP_DATABASE });
      assert.deepEqual(await locate('?ip=203.0.113.1'), { locations: [notFound('203.0.113.1')], points: [] });
    }
    await mapped.restart({ GEOIP_DATABASE: undefined });
    assert.equal((await locate('?ip=8.8.8.8')).locations[0]?.country_code, 'US');
  });
});

const DAY_MS = 86_400_000;
const ago = (days: number): Date => new Date(Date.now() - days * DAY_MS);

const SESSIONS = [
  sessionItem(0, { at: ago(0.1) }),
  sessionItem(1, { at: ago(2), ip: '203.0.113.9:51234' }),
  sessionItem(2, { at: ago(5), ip: '[2001:db8::1]:5123' }),
  sessionItem(3, { at: ago(8), ip: '2001:db8::2%eth0' }),
  sessionItem(4, { at: ago(9), ip: '::ffff:198.51.100.7', active: false }),
  sessionItem(5, { at: ago(20), ip: '192.0.2.7' }),
  sessionItem(6, { at: ago(40), ip: '203.0.113.8', expires_at: ago(39).toISOString() }),
  sessionItem(7, { at: ago(60), ip: '10.0.0.1' }),
  sessionItem(8, { at: ago(61), ip: null }),
  sessionItem(9, { at: ago(62), ip: 'unknown' }),
  { ...sessionItem(10, { at: ago(63) }), devices: null, identity: null },
];

describe('session locations', () => {
  const mapped = ofSuite(startMappedDashboard);

  /** Makes the store list these sessions. */
  function list(sessions: readonly Record<string, unknown>[]): void {
    mapped.identityAdmin.before = (request) => {
      const id = /^\/admin\/sessions\/([\da-f-]+)/.exec(request.path)?.[1];
      if (id === undefined) return request.path.startsWith('/admin/sessions') ? listPage(request, sessions) : undefined;
      const session = sessions.find((listed) => listed['id'] === id);
      if (session === undefined) return { status: 404, body: '{"error":{"code":404}}' };
      return { status: 200, body: JSON.stringify(session) };
    };
  }
  const call = (path: string, session = mapped.sessions.admin) => mapped.dashboard.call(path, { session });
  async function get<T>(path: string): Promise<T> {
    const response = await call(path);
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as T;
  }
  const locations = (query = '') => get<SessionLocations>(`/api/session-locations${query}`);
  const located = (query: string) => get<LocatedSessions>(`/api/security/sessions${query}`);
  /** Restarts the service and waits until it has read these sessions. */
  async function restartWith(sessions: readonly Record<string, unknown>[]): Promise<void> {
    await mapped.restart();
    list(sessions);
    await eventually(async () => {
      const { sessions: count, truncated } = await locations();
      return [count, truncated];
    }, [sessions.length, false]);
  }

  describe('after a sync', () => {
    before(() => restartWith(SESSIONS.toReversed()));

    it('consist of points, the largest count first, and a count of unknown ones, without addresses or identities', async () => {
      const { as_of, ...body } = await locations();
      assert.deepEqual(body, {
        points: [
          { lat: 60, lng: 11, label: 'Oslo, Norway', count: 3 },
          { lat: 63, lng: 16.5, label: 'Sweden', count: 2 },
          { lat: 60.5, lng: 5.5, label: 'Bergen, Norway', count: 1 },
          { lat: 61.5, lng: 9, label: 'Norway', count: 1 },
        ],
        unknown: 4,
        sessions: 11,
        truncated: false,
      });
      assert.ok(Math.abs(Date.parse(as_of) - Date.now()) < 600_000);
      assert.doesNotMatch(JSON.stringify(body), /\d+\.\d+\.\d+\.\d+|2001:|example\.test|1de7|5e55/);
    });

    it('cover the requested days and state, with as many sessions listed for each point as counted', async () => {
      // Each session of the list expires a day after its sign-in.
      for (const [query, sessions, unknown] of [
        ['', 11, 4],
        ['&days=1', 1, 0],
        ['&days=7', 3, 0],
        ['&active=true', 1, 0],
        ['&active=false', 10, 4],
      ] as const) {
        const counted = await locations(query.replace('&', '?'));
        assert.deepEqual([counted.sessions, counted.unknown], [sessions, unknown], query);
        for (const { lat, lng, count } of counted.points)
          assert.equal((await located(`?lat=${lat}&lng=${lng}${query}`)).total, count, query);
      }
      const unknown = await located('?unknown=true');
      assert.deepEqual([unknown.total, unknown.sessions.map(({ ip }) => ip)], [4, ['10.0.0.1', null, null, null]]);
    });

    it('are refused with 400 if a parameter is invalid', async () => {
      for (const query of ['days=0', 'days=366', 'active=no'])
        assert.equal((await call(`/api/session-locations?${query}`)).status, 400, query);
      for (const query of ['lat=60', 'lat=91&lng=0', 'unknown=false', 'unknown=true&lat=1&lng=1', 'page_size=251'])
        assert.equal((await call(`/api/security/sessions?${query}`)).status, 400, query);
    });
  });

  it('are found by an address of any device in any spelling, with a record of its usual one; other texts are 400', async () => {
    const addresses = ['203.0.113.7:51234', '::FFFF:198.51.100.7', '[2001:DB8:0:0::1]:443', 'unknown', null];
    const devices = addresses.map((ip_address, id) => ({ id, ip_address, user_agent: '' }));
    await restartWith([{ ...sessionItem(1), devices }, sessionItem(2, { ip: '203.0.113.71' }), sessionItem(3)]);
    for (const [ip, address, total] of [
      ['::ffff:c633:6407', '198.51.100.7', 1],
      ['2001:0DB8::0001', '2001:db8::1', 1],
      ['203.0.113.7', '203.0.113.7', 2],
      ['203.0.113.1', '203.0.113.1', 0],
    ] as const) {
      assert.equal((await located(`?ip=${ip}&active=true`)).total, total, ip);
      assert.equal((await get<SessionIds>(`/api/security/sessions/ids?ip=${ip}`)).ids.length, total, ip);
      const { events } = await get<AuditPage>('/api/security/audit?action=identity_search&page_size=2');
      const searches = [`ip=${address}`, `ip=${address}&active=true`].map((query) => new URLSearchParams(query));
      assert.deepEqual(
        events.map(({ target }) => target).sort(),
        searches.map((query) => `sessions:${query}`),
      );
    }
    for (const ip of ['203.0.113.7:80', '[2001:db8::1]', 'fe80::1%25eth0', '203.0.113.07', '%2010.0.0.1']) {
      const { message } = await assertError(await call(`/api/security/sessions?ip=${ip}`), 400, 'bad_request');
      assert.match(message, /^ip must be/);
    }
  });

  it('are neither counted nor listed with IDENTITY_INDEX=off, which the error message names', async () => {
    await mapped.restart({ IDENTITY_INDEX: 'off' });
    const statistics = await get<Statistics>('/api/dashboard/statistics');
    assert.deepEqual(statistics, { identities: null, sessions: null, clients: null });
    for (const path of ['/api/session-locations', '/api/security/sessions', '/api/security/sessions?q=ada']) {
      const response = await call(path);
      const { error, message } = (await response.json()) as { error: string; message: string };
      assert.deepEqual([response.status, error], [400, 'search_not_supported'], path);
      assert.match(message, /IDENTITY_INDEX=off/);
    }
  });

  it('are found by part of the person’s e-mail address, with a shortened User-Agent and a record of the search', async () => {
    await mapped.restart();
    const [person] = (await get<IdentitySearchPage>('/api/identities/search')).identities;
    const device = { ip_address: '203.0.113.7', user_agent: 'A'.repeat(512) };
    await restartWith([{ ...sessionItem(1), identity: { id: person?.id }, devices: [device] }, sessionItem(2)]);
    const part = String(person?.traits['email']).slice(1, -1);
    const find = () => located(`?q=${encodeURIComponent(part)}`);
    await eventually(async () => (await find()).sessions.map(({ identity_id }) => identity_id), [person?.id]);
    assert.equal((await find()).sessions[0]?.device?.length, 200);
    await located(`?q=${encodeURIComponent(part)}&no_such_parameter=${'x'.repeat(9_000)}`);
    const { events } = await get<AuditPage>('/api/security/audit?action=identity_search&page_size=1');
    assert.equal(events[0]?.target, `sessions:${new URLSearchParams({ q: part })}`);
  });
});

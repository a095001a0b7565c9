import assert from 'node:assert/strict';
import { EXPANDED_SESSIONS_PAGE } from '../../shared/session-locations.ts';
import type { GivenAnswer } from '../support/faulting-upstream.ts';
import { listedPage, listedSession } from '../support/listed-pages.ts';
import { PLACED, placedSessionsOfSuite } from '../support/placed-sessions.ts';

describe('places of sessions', () => {
  const own = placedSessionsOfSuite();

  it('are circles ordered by size, unknown places counted separately, without addresses or identities', async () => {
    own.list(PLACED);
    const answer = await own.locations();
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
    own.list(PLACED);
    const count = async (query: string): Promise<[sessions: number, unknown: number]> => {
      const { sessions, unknown, points } = await own.locations(query);
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
      own.list([]);
      const answer = await own.call(`/api/session-locations?${query}`);
      assert.equal(answer.status, 400);
      assert.equal(((await answer.json()) as { error: string }).error, 'bad_request');
      assert.equal(own.mapped.identityAdmin.seen.length, 0);
    });

  it('are read page by page with identities and devices, once for all who ask', async () => {
    own.list({ length: 600, at: (index) => listedSession(index) });
    const [answers, found] = await Promise.all([
      Promise.all(Array.from({ length: 5 }, () => own.locations())),
      Promise.all(Array.from({ length: 5 }, () => own.located('?lat=60&lng=11&page_size=1'))),
    ]);
    for (const { sessions } of answers) assert.equal(sessions, 600);
    for (const { total } of found) assert.equal(total, 600);
    await own.locations('?days=3');
    assert.equal((await own.call('/api/dashboard/statistics')).status, 200);
    const pages = own.mapped.identityAdmin.seen
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
    own.mapped.identityAdmin.before = (seen) => {
      if (!seen.path.startsWith('/admin/sessions')) return undefined;
      if (from(seen.path) >= 500) return 'silence';
      const page = listedPage(seen, pages);
      if (page !== 'silence') read += (JSON.parse(String(page.body)) as unknown[]).length;
      return page;
    };
    const { sessions, truncated } = await own.locations();
    assert.ok(sessions >= 500);
    assert.deepEqual({ sessions, truncated }, { sessions: read, truncated: true });
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
      own.mapped.identityAdmin.before = () => given;
      for (const path of ['/api/session-locations', '/api/security/sessions?lat=60&lng=11']) {
        const answer = await own.call(path, own.mapped.sessions.admin);
        const text = await answer.text();
        assert.equal(answer.status, status, text);
        assert.deepEqual(Object.keys(JSON.parse(text) as object), ['error', 'message']);
        assert.doesNotMatch(text, /10\.1\.2\.3|127\.0\.0\.1|elsewhere|localhost|admin|dial/);
      }
      await own.mapped.restart();
      own.list(PLACED);
      assert.equal((await own.locations()).sessions, 11);
    });

  it('are 502 where the store is not there, or has no address', async () => {
    await own.mapped.restart({ IDENTITY_ADMIN_URL: 'http://127.0.0.1:1' });
    assert.equal((await own.call('/api/session-locations')).status, 502);
    await own.mapped.restart({ IDENTITY_ADMIN_URL: '' });
    assert.equal((await own.call('/api/session-locations')).status, 502);
    await own.mapped.restart();
  });

  it('are all unknown without a file that places addresses', async () => {
    await own.mapped.restart({ GEOIP_DATABASE: 'off' });
    own.list(PLACED);
    const { points, unknown, sessions } = await own.locations();
    assert.deepEqual({ points, unknown, sessions }, { points: [], unknown: 11, sessions: 11 });
  });
});

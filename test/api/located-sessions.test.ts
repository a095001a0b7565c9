import assert from 'node:assert/strict';
import type { AuditPage } from '../../shared/audit.ts';
import type { IdentitySearchPage } from '../../shared/identity-search.ts';
import { listedSession } from '../support/listed-pages.ts';
import { PLACED, placedSessionsOfSuite } from '../support/placed-sessions.ts';

describe('sessions behind a circle', () => {
  const own = placedSessionsOfSuite();

  it('are its people, the latest sign-ins first, with address and device', async () => {
    own.list(PLACED.toReversed());
    const { as_of, ...answer } = await own.located('?lat=59.9&lng=10.8');
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
    assert.equal(first?.id, PLACED[0]?.['id']);
    assert.equal(first?.identity_id, '00000000-0000-4000-8000-000000001de7');
    assert.equal(first?.authenticated_at, PLACED[0]?.['authenticated_at']);
    assert.equal(first?.expires_at, PLACED[0]?.['expires_at']);
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
    own.list(PLACED);
    for (const filter of ['', '&days=7', '&active=true'])
      for (const { lat, lng, count } of (await own.locations(filter.replace('&', '?'))).points)
        assert.equal((await own.located(`?lat=${lat}&lng=${lng}${filter}`)).total, count);
    assert.equal((await own.located('?lat=0&lng=0')).total, 0);
    const unknown = await own.located('?unknown=true');
    assert.deepEqual([unknown.total, unknown.sessions.map(({ ip }) => ip)], [4, ['10.0.0.1', null, null, null]]);
  });

  it('are 250 at most on a page, with the number of all, and page by page all of them', async () => {
    own.list({ length: 300, at: (index) => listedSession(index, { at: new Date(Date.now() - index * 1000) }) });
    const { sessions, total, has_more, next_page_token } = await own.located('?lat=60&lng=11');
    assert.deepEqual(
      [sessions.length, total, has_more, sessions[0]?.id, sessions[249]?.id],
      [250, 300, true, listedSession(0)['id'], listedSession(249)['id']],
    );
    const rest = await own.located(`?lat=60&lng=11&page_token=${next_page_token}`);
    assert.deepEqual(
      [rest.sessions.length, rest.total, rest.has_more, rest.next_page_token, rest.sessions[0]?.id],
      [50, 300, false, null, listedSession(250)['id']],
    );
    const ids = await own.call('/api/security/sessions/ids?lat=60&lng=11', own.mapped.sessions.admin);
    assert.deepEqual(
      ((await ids.json()) as { ids: string[] }).ids,
      [...sessions, ...rest.sessions].map(({ id }) => id),
    );
  });

  it('show a long User-Agent’s beginning', async () => {
    const device = { ip_address: '203.0.113.7', user_agent: 'A'.repeat(512) };
    own.list([{ ...listedSession(0), devices: [device] }]);
    assert.equal((await own.located('?lat=60&lng=11')).sessions[0]?.device?.length, 200);
  });

  it('are found by a part of the place, of the device or of the person, who is named in the trail', async () => {
    const browsers = ['X11; Linux x86_64) Firefox/140.0', 'Windows NT 10.0; Win64; x64) Firefox/140.0'];
    own.list(
      PLACED.slice(0, 6).map((session, at) => ({
        ...session,
        devices: [
          { ip_address: ['203.0.113.7', '198.51.100.7'][at % 2], user_agent: `Mozilla/5.0 (${browsers[at % 2]}` },
        ],
      })),
    );
    const ids = async (query: string): Promise<unknown[]> => (await own.located(query)).sessions.map(({ id }) => id);
    const all = PLACED.slice(0, 6).map(({ id }) => id);
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
    const people = (await (
      await own.call('/api/identities/search', own.mapped.sessions.admin)
    ).json()) as IdentitySearchPage;
    const [person] = people.identities;
    own.list([{ ...listedSession(1), identity: { id: person?.id } }, listedSession(2)]);
    await own.mapped.restart();
    own.list([{ ...listedSession(1), identity: { id: person?.id } }, listedSession(2)]);
    const sought = String(person?.traits['email']).slice(1, -1);
    const found = await own.located(`?q=${encodeURIComponent(sought)}`);
    assert.deepEqual(
      found.sessions.map(({ identity_id }) => identity_id),
      [person?.id],
    );
    const trail = await own.call('/api/security/audit?action=identity_search&page_size=1', own.mapped.sessions.admin);
    const [record] = ((await trail.json()) as AuditPage).events;
    assert.equal(record?.target, `sessions:${new URLSearchParams({ q: sought })}`);
  });

  it('are counted by place without an index, but not found by words, and nobody is in the trail for it', async () => {
    await own.mapped.restart({ IDENTITY_INDEX: 'off' });
    own.list(PLACED);
    const admin = own.mapped.sessions.admin;
    for (const words of ['q=sought-in-vain', 'device=linux', 'place=oslo'])
      for (const path of ['/api/security/sessions', '/api/security/sessions/ids']) {
        const answer = await own.call(`${path}?${words}`, admin);
        const { error } = (await answer.json()) as { error: string };
        assert.deepEqual([answer.status, error], [400, 'search_not_supported'], `${path}?${words}`);
      }
    assert.equal((await own.located('?lat=60&lng=11')).total, 3);
    const trail = await own.call('/api/security/audit?action=identity_search&page_size=1', admin);
    assert.doesNotMatch(await trail.text(), /sought-in-vain/);
  });

  it('are left out once the store no longer has them', async () => {
    own.list(PLACED);
    assert.equal((await own.located('?lat=60&lng=11')).total, 3);
    own.list(PLACED.slice(1));
    const { sessions, total } = await own.located('?lat=60&lng=11');
    assert.deepEqual([sessions.length, total], [2, 2]);
    assert.equal((await own.locations()).sessions, 10);
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
      assert.equal((await own.call(`/api/security/sessions${query}`, own.mapped.sessions.admin)).status, 400);
    });

  it('are for admins only', async () => {
    assert.equal((await own.call('/api/security/sessions?lat=60&lng=11')).status, 403);
    assert.equal((await own.mapped.dashboard.call('/api/security/sessions?lat=60&lng=11')).status, 401);
  });
});

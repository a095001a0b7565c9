import assert from 'node:assert/strict';
import type { IdentitySearchPage } from '../../shared/identity-search.ts';
import { becomes } from '../support/becomes.ts';
import type { GivenAnswer, SeenRequest } from '../support/faulting-upstream.ts';
import { listedPage } from '../support/listed-pages.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';

interface Stored {
  id: string;
  schema_id: string;
  state: string;
  traits: Record<string, unknown>;
  verifiable_addresses: { value: string; verified: boolean }[];
  created_at: string;
  updated_at: string;
}

const idOf = (index: number): string => `${index.toString(16).padStart(8, '0')}-0000-4000-8000-00000000aaaa`;
const timeOf = (index: number): string => new Date(Date.UTC(2026, 0, 1) + index * 60_000).toISOString();

function stored(index: number, over: Partial<Stored> = {}): Stored {
  const email = `p${index}@example.test`;
  return {
    id: idOf(index),
    schema_id: 'customer',
    state: 'active',
    traits: { email, name: { first: 'Ada', last: `Lovelace ${index}` } },
    verifiable_addresses: [{ value: email, verified: index % 2 === 0 }],
    created_at: timeOf(index),
    updated_at: timeOf(index),
    ...over,
  };
}

describe('GET /api/identities/search', () => {
  let mapped: MappedDashboard;
  let people: Stored[];
  before(async () => {
    mapped = await startMappedDashboard();
  });
  beforeEach(async () => {
    await mapped.restart();
    people = Array.from({ length: 300 }, (_, index) => stored(index));
    mapped.identityAdmin.before = (seen) => answer(seen);
  });
  after(() => mapped.close());

  function answer(seen: SeenRequest): GivenAnswer | undefined {
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

  it('finds by any part, in any case and without accents; rows are the store’s own', async () => {
    people[7] = stored(7, { traits: { email: 'zoe@example.test', name: 'Zoë Gödel', note: '数学が好き' } });
    for (const q of ['zoë', 'GODEL', 'öde', '数', '数学', 'zo', 'oe@exam'])
      assert.deepEqual(ids(await found(`?q=${encodeURIComponent(q)}`)), [idOf(7)], q);
    const { identities, total, index } = await found('?q=zoe');
    const { verifiable_addresses: _, ...row } = people[7];
    assert.deepEqual(identities, [{ ...row, last_session_at: null }]);
    assert.equal(total, 1);
    assert.deepEqual([index.complete, index.identities], [true, 300]);
    assert.ok(Math.abs(Date.parse(index.as_of ?? '') - Date.now()) < 60_000);
    assert.deepEqual(ids(await found('?q=oe')), [], 'two characters find beginnings alone');
  });

  it('gives all that match once, in the order that is asked for, page by page', async () => {
    for (const [query, expected] of [
      ['q=lovelace&verified=true', people.filter((_, index) => index % 2 === 0).toReversed()],
      ['sort=created&order=asc', people],
      [
        'sort=identifier&order=asc&q=p1',
        people
          .filter((_, index) => /^1/.test(String(index)))
          .toSorted((a, b) => (String(a.traits['email']) < String(b.traits['email']) ? -1 : 1)),
      ],
      [`created_from=${timeOf(10)}&created_to=${timeOf(20)}`, people.slice(10, 20).toReversed()],
    ] as const) {
      const seen: string[] = [];
      for (let token: string | null = ''; token !== null; ) {
        const page: IdentitySearchPage = await found(`?${query}&page_size=40${token && `&page_token=${token}`}`);
        seen.push(...ids(page));
        assert.equal(page.total, expected.length, query);
        assert.equal(page.has_more, page.next_page_token !== null);
        token = page.next_page_token;
      }
      assert.deepEqual(
        seen,
        expected.map(({ id }) => id),
        query,
      );
    }
  });

  it('asks the store for at most a hundred ids at once, in at most three calls side by side', async () => {
    await found('?page_size=1');
    mapped.identityAdmin.seen = [];
    assert.equal((await found('?page_size=250')).identities.length, 250);
    const asked = mapped.identityAdmin.seen.map(({ path }) => new URL(path, 'http://store').searchParams);
    assert.deepEqual(asked.map((query) => query.getAll('ids').length).sort(), [100, 100, 50]);
    assert.ok(asked.every((query) => query.get('page_size') === '500'));
    assert.ok(mapped.identityAdmin.mostAtOnce <= 3);
  });

  it('shows nobody who is gone, and says of whom it shows that they no longer match', async () => {
    await found('?q=lovelace');
    people = people.filter((_, index) => index !== 5);
    people[3] = stored(3, { state: 'inactive' });
    const page = await found('?state=active&sort=created&order=asc&page_size=6');
    assert.deepEqual(ids(page), [0, 1, 2, 3, 4].map(idOf));
    assert.deepEqual(
      page.identities.map(({ changed }) => changed),
      [undefined, undefined, undefined, true, undefined],
    );
    assert.equal((await found('?state=active')).total, 299);
  });

  it('puts first whoever has exactly this identifier, a moment after they registered', async () => {
    await found('?q=lovelace');
    people.push(stored(999, { traits: { email: 'new@example.test' } }));
    assert.deepEqual(ids(await found('?q=New@Example.test')), [idOf(999)]);
    // Also among those that contain it; on later pages they do not stand again.
    people[200] = stored(200, { traits: { email: 'p1@example.test' } });
    const first = await found('?q=p1@example.test&page_size=1');
    assert.deepEqual(ids(first), [idOf(1), ...ids(first).slice(1)]);
    assert.deepEqual(ids(await found('?q=p200&state=inactive')), []);
  });

  it('knows at once what is written, created and deleted through the service', async () => {
    await found('?q=lovelace');
    const write = (method: string, path: string, body?: object): Promise<Response> =>
      mapped.dashboard.call(`/api/identity-admin/admin/identities${path}`, {
        session: mapped.sessions.admin,
        method,
        ...(body && { json: body }),
      });
    mapped.identityAdmin.before = (seen) => {
      if (seen.method === 'GET') return answer(seen);
      if (seen.method === 'DELETE') people = people.filter(({ id }) => !seen.path.includes(id));
      if (seen.method === 'PUT') people[4] = stored(4, { traits: { email: 'renamed@example.test' } });
      if (seen.method !== 'POST') return { status: seen.method === 'DELETE' ? 204 : 200, body: '' };
      people.push(stored(500, { traits: { email: 'created@example.test' } }));
      return { status: 201, headers: { Location: `/admin/identities/${idOf(500)}` }, body: '{}' };
    };
    assert.equal((await write('PUT', `/${idOf(4)}`, {})).status, 200);
    assert.equal((await write('DELETE', `/${idOf(6)}`)).status, 204);
    assert.equal((await write('POST', '', {})).status, 201);
    const counted = async (q: string): Promise<number> =>
      ((await (await call(`/count?q=${q}`)).json()) as { count: number }).count;
    await becomes(() => counted('renamed'), 1);
    await becomes(() => counted('p6@'), 0);
    await becomes(() => counted('created'), 1);
  });

  it('records who asked what, except for a count, which names nobody', async () => {
    const searches = async (): Promise<string[]> => {
      const { events } = (await (
        await mapped.dashboard.call('/api/security/audit?action=identity_search', { session: mapped.sessions.admin })
      ).json()) as { events: { target: string }[] };
      return events.map(({ target }) => target);
    };
    await found('?q=ada&state=active&page_size=5');
    await call('/ids?q=p1');
    await call('/count?q=p2');
    assert.deepEqual((await searches()).slice(0, 2), ['q=p1', 'q=ada&state=active']);
  });

  it('gives all ids, and their number', async () => {
    const all = (await (await call('/ids?verified=false')).json()) as { ids: string[] };
    assert.deepEqual(
      all.ids,
      people.filter((_, index) => index % 2 === 1).map(({ id }) => id),
    );
    const count = (await (await call('/count?q=p1')).json()) as { count: number };
    assert.equal(count.count, 111);
  });

  it('gives no part of more than 10,000 ids', async () => {
    mapped.identityAdmin.before = (seen) => listedPage(seen, { length: 10_001, at: (index) => stored(index) });
    await becomes(async () => ((await (await call('/count')).json()) as { count: number }).count, 10_001);
    const response = await call('/ids');
    assert.equal(response.status, 400);
    const { message } = (await response.json()) as { message: string };
    assert.equal(message, 'More than 10,000 identities match. Narrow the question.');
    assert.equal((await call('/ids?verified=true')).status, 200);
  });

  it('is for administrators, and for GET and HEAD', async () => {
    assert.equal((await call('?q=ada', mapped.sessions.viewer)).status, 403);
    const post = await mapped.dashboard.call('/api/identities/search', {
      session: mapped.sessions.admin,
      method: 'POST',
      json: {},
    });
    assert.equal(post.status, 405);
  });

  for (const [query, field] of [
    ['q=%C2%B4', 'q'],
    [`q=${'x'.repeat(256)}`, 'q'],
    ['q=a&q=b', 'q'],
    ['q=a%00b', 'q'],
    ['state=gone', 'state'],
    ['verified=1', 'verified'],
    ['created_from=yesterday', 'created_from'],
    ['session_to=2026-02-30', 'session_to'],
    ['no_session=true&session_from=2026-01-01', 'no_session'],
    ['sort=name', 'sort'],
    ['order=up', 'order'],
    ['page_size=251', 'page_size'],
    ['page_token=x', 'token'],
    [`page_token=${Buffer.from(JSON.stringify(['text', idOf(1)])).toString('base64url')}`, 'token'],
    [`page_token=${Buffer.from(JSON.stringify([1, 'x'])).toString('base64url')}`, 'token'],
  ] as const)
    it(`refuses ${query.slice(0, 60)}, naming it`, async () => {
      const response = await call(`?${query}`);
      assert.equal(response.status, 400);
      assert.match(((await response.json()) as { message: string }).message, new RegExp(field));
    });

  it('takes every text for a text', async () => {
    await found('?q=ada');
    for (const q of [
      '"',
      '*',
      '"*"',
      'ada AND',
      'NEAR(',
      'ada*',
      '^ada',
      'document:ada',
      "'; drop table people",
      '%',
      '_',
      '\\',
      '-ada',
      '((',
      '🙂',
      'ﷺ'.repeat(255),
      '\u202eada',
    ])
      assert.equal((await call(`?q=${encodeURIComponent(q)}`)).status, 200, q);
  });

  it('is not supported, and not recorded, while the store was never there', async () => {
    mapped.identityAdmin.before = () => ({ status: 500, body: '{}' });
    const early = await call('?q=ada');
    assert.equal(early.status, 400);
    assert.equal(((await early.json()) as { error: string }).error, 'search_not_supported');
    assert.equal((await call('/count?state=active')).status, 400);
    assert.ok(!mapped.dashboard.logged.some((line) => line.includes('identity_search') && line.includes('q=ada')));
  });
});

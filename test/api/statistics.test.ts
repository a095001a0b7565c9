import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import type { Statistics } from '../../shared/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { SeenRequest, StubResponse } from '../support/faulting-upstream.ts';
import { listedPage, listedSession } from '../support/listed-pages.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';

const HOUR_MS = 3_600_000;
const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

describe('statistics of the overview', () => {
  let mapped: MappedDashboard;
  before(async () => {
    mapped = await startMappedDashboard();
  });
  beforeEach(() => mapped.restart());
  after(() => mapped.close());

  const call = (query = '', session = mapped.sessions.viewer) =>
    mapped.dashboard.call(`/api/dashboard/statistics${query}`, { session });
  const isWhole = ({ identities, sessions, clients }: Statistics): boolean =>
    [identities?.complete, sessions?.truncated === false, !clients?.truncated].every(Boolean);
  /** Once all that the upstreams hold has been read. */
  async function statistics(query = '', session = mapped.sessions.viewer): Promise<Statistics> {
    for (;;) {
      const response = await call(query, session);
      assert.equal(response.status, 200);
      const found = (await response.json()) as Statistics;
      if (isWhole(found)) return found;
      // Not for longer than a slow machine takes; what changes is computed anew, thirty times a minute at most.
      await setTimeout(2_500);
    }
  }

  /** What the upstreams hold, by the beginning of the path. */
  function give(responses: Record<string, (seen: SeenRequest) => StubResponse>): void {
    const response = (seen: SeenRequest): StubResponse | undefined =>
      Object.entries(responses).find(([path]) => seen.path.startsWith(path))?.[1](seen);
    mapped.identityAdmin.before = response;
    mapped.oauthAdmin.before = response;
  }
  const counted =
    (total: number, items: Parameters<typeof listedPage>[1]) =>
    (seen: SeenRequest): StubResponse =>
      seen.path.includes('per_page')
        ? { status: 200, headers: { 'X-Total-Count': String(total) }, body: '[]' }
        : listedPage(seen, items);

  const identity = (index: number, created: string, verified: (boolean | undefined)[], schema = 'person') => ({
    id: `${index.toString(16).padStart(8, '0')}-0000-4000-8000-000000001de7`,
    schema_id: schema,
    created_at: created,
    traits: { email: `p${index}@example.test` },
    ...(verified.length === 0 ? {} : { verifiable_addresses: verified.map((verified) => ({ verified })) }),
  });

  it('are those of the known identities, sessions and clients, in the zone that is asked for', async () => {
    // Noon and evening of yesterday in UTC; in Tokyo the evening is today.
    const today = Date.parse(`${dayOf(new Date())}T00:00:00Z`);
    const noon = new Date(today - 12 * HOUR_MS);
    const evening = new Date(today - 4 * HOUR_MS);
    const stored = {
      '/admin/identities': counted(31_000, [
        identity(1, noon.toISOString(), [true]),
        identity(2, evening.toISOString(), [false, true]),
        identity(3, evening.toISOString(), [false], 'device'),
        identity(4, evening.toISOString(), []),
      ]),
      '/admin/sessions': (seen: SeenRequest) =>
        listedPage(seen, [
          listedSession(1, { at: evening, expires_at: new Date(Date.now() + 86_400_000).toISOString() }),
          listedSession(2, { at: evening, active: false }),
          listedSession(3, { at: noon, expires_at: evening.toISOString() }),
        ]),
      '/admin/clients': (seen: SeenRequest) =>
        listedPage(seen, [
          { client_id: 'a', grant_types: ['authorization_code', 'refresh_token'] },
          { client_id: 'b', grant_types: ['authorization_code'] },
          { client_id: 'c', grant_types: null },
        ]),
    };
    const read: Statistics[] = [];
    // The store's own count is used until the index is complete: in the first response, unless the machine is slow.
    await eventually(async () => {
      await mapped.restart();
      give(stored);
      read.unshift(await statistics());
      return read[0]?.identities?.total;
    }, 31_000);
    const [utc = assert.fail()] = read;
    const { created, as_of: _, ...identities } = utc.identities ?? assert.fail();
    assert.deepEqual(identities, {
      total: 31_000,
      sample: 4,
      complete: true,
      verifiable: 3,
      verified: 2,
      by_schema: [
        { schema_id: 'person', count: 3 },
        { schema_id: 'device', count: 1 },
      ],
    });
    const days = (evenings: number[]) =>
      [noon, new Date(today)].map((day, index) => ({ day: dayOf(day), count: evenings[index] }));
    assert.deepEqual([created, utc.sessions?.sign_ins], [days([4, 0]), days([3, 0])]);
    assert.deepEqual([utc.sessions?.sample, utc.sessions?.active, utc.sessions?.hours[20]], [3, 1, 2]);
    assert.deepEqual(utc.clients?.by_grant, [
      { grant: 'authorization_code', count: 2 },
      { grant: 'refresh_token', count: 1 },
    ]);
    const tokyo = await statistics('?time_zone=Asia/Tokyo');
    assert.deepEqual(tokyo.sessions?.sign_ins.slice(0, 2), days([1, 2]));
    assert.deepEqual(tokyo.identities?.created.slice(0, 2), days([1, 3]));
    assert.doesNotMatch(JSON.stringify([utc, tokyo]), /example\.test|203\.0\.113|1de7|5e55/);
  });

  it('are read in pages of a megabyte at most, however large the traits', async () => {
    const bio = 'b'.repeat(5_000);
    const sizes: number[] = [];
    const measured = (response: StubResponse): StubResponse => {
      if (response !== 'silence') sizes.push(String(response.body).length);
      return response;
    };
    const length = 600;
    const session = (index: number) => listedSession(index, { identity: { traits: { bio } } });
    give({
      '/admin/identities': (seen) =>
        measured(listedPage(seen, { length, at: (index) => ({ ...identity(index, '', []), traits: { bio } }) })),
      '/admin/sessions': (seen) => measured(listedPage(seen, { length, at: session })),
    });
    const { identities, sessions } = await statistics();
    assert.deepEqual([identities?.sample, sessions?.sample], [length, length]);
    assert.ok(Math.max(...sizes) < 1.1 * 1024 * 1024, `${Math.max(...sizes)} bytes`);
  });

  it('are refused for an unknown zone, and no upstream is asked', async () => {
    for (const zone of ['Europe/Atlantis', '', '%2B01:00', 'Europe/Berlin%00', '../etc', 'UTC&time_zone=UTC'])
      assert.equal((await call(`?time_zone=${zone}`)).status, 400, zone);
    assert.equal(mapped.identityAdmin.seen.length, 0);
  });
});

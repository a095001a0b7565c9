import assert from 'node:assert/strict';
import type { Statistics } from '../../shared/dashboard.ts';
import { SYNC_TIMEOUT_MS } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { ReceivedRequest, StubResponse } from '../support/faulting-upstream.ts';
import { listPage, sessionItem } from '../support/faulting-upstream.ts';
import { startMappedDashboard } from '../support/mapped-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';

const HOUR_MS = 3_600_000;
const dayOf = (date: Date): string => date.toISOString().slice(0, 10);

describe('/api/dashboard/statistics', () => {
  let elapsed = 0;
  const monotonic = () => performance.now() + elapsed;
  const mapped = ofSuite(() => startMappedDashboard({ PROXY_TIMEOUT_MS: '600000' }, { monotonic }));
  beforeEach(() => mapped.restart());

  const call = (query = ''): Promise<Response> =>
    mapped.dashboard.call(`/api/dashboard/statistics${query}`, { session: mapped.sessions.viewer });
  /** Waits until the service has read everything from the upstreams. */
  async function statistics(query = ''): Promise<Statistics> {
    let latest: Statistics | undefined;
    const isComplete = async (): Promise<boolean> => {
      // Each request is sent in another minute: a session may cause only thirty computations a minute.
      elapsed += 60_000;
      const response = await call(query);
      assert.equal(response.status, 200);
      latest = (await response.json()) as Statistics;
      const { identities, sessions, clients } = latest;
      return (identities?.complete ?? true) && !sessions?.truncated && !clients?.truncated;
    };
    await eventually(isComplete, true, undefined, SYNC_TIMEOUT_MS);
    return latest ?? assert.fail();
  }

  /** Sets the responses of the upstreams, by the beginning of the path. */
  function respond(responses: Record<string, (request: ReceivedRequest) => StubResponse>): void {
    const response = (request: ReceivedRequest): StubResponse | undefined =>
      Object.entries(responses).find(([path]) => request.path.startsWith(path))?.[1](request);
    mapped.identityAdmin.before = response;
    mapped.oauthAdmin.before = response;
  }
  const listWithTotal =
    (total: number, items: Parameters<typeof listPage>[1]) =>
    (request: ReceivedRequest): StubResponse =>
      request.path.includes('per_page')
        ? { status: 200, headers: { 'X-Total-Count': String(total) }, body: '[]' }
        : listPage(request, items);

  const identity = (index: number, created: string, verified: (boolean | undefined)[], schema = 'person') => ({
    id: `${index.toString(16).padStart(8, '0')}-0000-4000-8000-000000001de7`,
    schema_id: schema,
    created_at: created,
    traits: { email: `p${index}@example.test` },
    ...(verified.length === 0 ? {} : { verifiable_addresses: verified.map((verified) => ({ verified })) }),
  });

  it('counts identities, sessions and clients, by days and hours of the requested time zone, without addresses or ids', async () => {
    // Noon and evening of yesterday in UTC; in Tokyo the evening is today.
    const today = Date.parse(`${dayOf(new Date())}T00:00:00Z`);
    const noon = new Date(today - 12 * HOUR_MS);
    const evening = new Date(today - 4 * HOUR_MS);
    const responses = {
      '/admin/identities': listWithTotal(31_000, [
        identity(1, noon.toISOString(), [true]),
        identity(2, evening.toISOString(), [false, true]),
        identity(3, evening.toISOString(), [false], 'device'),
        identity(4, evening.toISOString(), []),
      ]),
      '/admin/sessions': (request: ReceivedRequest) =>
        listPage(request, [
          sessionItem(1, { at: evening, expires_at: new Date(Date.now() + 86_400_000).toISOString() }),
          sessionItem(2, { at: evening, active: false }),
          sessionItem(3, { at: noon, expires_at: evening.toISOString() }),
        ]),
      '/admin/clients': (request: ReceivedRequest) =>
        listPage(request, [
          { client_id: 'a', grant_types: ['authorization_code', 'refresh_token'] },
          { client_id: 'b', grant_types: ['authorization_code'] },
          { client_id: 'c', grant_types: null },
        ]),
    };
    const read: Statistics[] = [];
    // The store's own count is used until the index is complete: in the first response, unless the machine is slow.
    await eventually(async () => {
      await mapped.restart();
      respond(responses);
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

  it('reads the upstreams in pages of a megabyte at most, however large the traits are', async () => {
    const bio = 'b'.repeat(5_000);
    const sizes: number[] = [];
    const measured = (response: StubResponse): StubResponse => {
      if (response !== 'silence') sizes.push(String(response.body).length);
      return response;
    };
    const length = 600;
    const session = (index: number) => sessionItem(index, { identity: { traits: { bio } } });
    respond({
      '/admin/identities': (request) =>
        measured(listPage(request, { length, at: (index) => ({ ...identity(index, '', []), traits: { bio } }) })),
      '/admin/sessions': (request) => measured(listPage(request, { length, at: session })),
    });
    const { identities, sessions } = await statistics();
    assert.deepEqual([identities?.sample, sessions?.sample], [length, length]);
    assert.ok(Math.max(...sizes) < 1.1 * 1024 * 1024, `${Math.max(...sizes)} bytes`);
  });

  it('does not wait for a store that is slow to count its identities', async () => {
    respond({ '/admin/identities': (request) => (/per_page/.test(request.path) ? 'silence' : listPage(request, [])) });
    assert.equal((await statistics()).identities?.total, 0);
  });

  it('responds 400 to an invalid time zone, and sends no request to an upstream', async () => {
    for (const zone of ['Europe/Atlantis', '', '%2B01:00', 'Europe/Berlin%00', '../etc', 'UTC&time_zone=UTC'])
      assert.equal((await call(`?time_zone=${zone}`)).status, 400, zone);
    assert.equal(mapped.identityAdmin.requests.length, 0);
  });
});

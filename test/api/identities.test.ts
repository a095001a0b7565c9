import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IdentityPage, IdentityTotal } from '../../shared/identities.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';

const NEXT = '00000000-0000-4000-8000-000000000001';

const identity = (index: number) => ({
  id: `id-${index}`,
  schema_id: 'customer',
  schema_url: 'http://store.internal:4433/schemas/x',
  state: 'active',
  traits: { email: `person-${index}@example.com` },
  credentials: { password: { config: { hashed_password: 'hash' } } },
  metadata_admin: { note: 'internal' },
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-02T00:00:00Z',
});

type Respond = (req: IncomingMessage, res: ServerResponse) => void;
const page =
  (body: unknown, headers: Record<string, string> = {}, status = 200): Respond =>
  (_req, res) =>
    void res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
const link = (token: string, base = ''): Record<string, string> => ({
  Link: `<${base}/admin/identities?page_size=1&page_token=x>; rel="first",<${base}/admin/identities?page_size=1&page_token=${token}>; rel="next"`,
});

describe('identities', () => {
  let store: Server;
  let dashboard: Dashboard;
  let session: string;
  let respond: Respond;
  /** What the store was asked. */
  let seen: string[];
  let aheadMs = 0;

  before(async () => {
    store = createServer((req, res) => {
      seen.push(`${req.url} ${req.headers.authorization ?? ''}`.trim());
      respond(req, res);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => store.once('listening', resolve));
    dashboard = await startDashboard({
      storeFromSandbox: true,
      env: { IDENTITY_ADMIN_URL: `http://127.0.0.1:${(store.address() as AddressInfo).port}` },
      now: () => Date.now() + aheadMs,
      monotonic: () => performance.now() + aheadMs,
    });
    session = await dashboard.signIn('admin');
  });
  after(async () => {
    await dashboard.close();
    store.closeAllConnections();
    store.close();
  });
  beforeEach(() => {
    [seen, respond] = [[], page([identity(1)])];
  });

  async function list(query: string): Promise<{ status: number; body: IdentityPage & { error?: string } }> {
    const response = await dashboard.call(`/api/identities${query}`, { session });
    return { status: response.status, body: (await response.json()) as IdentityPage & { error?: string } };
  }

  it('are listed with exactly five fields, whatever the store adds', async () => {
    assert.deepEqual((await list('')).body, {
      identities: [
        {
          id: 'id-1',
          traits: { email: 'person-1@example.com' },
          state: 'active',
          created_at: '2026-01-01T00:00:00Z',
          updated_at: '2026-01-02T00:00:00Z',
        },
      ],
      next_page_token: null,
      has_more: false,
    });
    assert.deepEqual(seen, ['/admin/identities?page_size=25']);
  });

  it('have a cursor that is passed through unchanged, and leads to no other address', async () => {
    respond = page([identity(1)], link(NEXT, 'http://elsewhere.test'));
    const { body } = await list(`?page_size=1&page_token=${encodeURIComponent('opaque+/=& token')}`);
    assert.deepEqual([body.next_page_token, body.has_more], [NEXT, true]);
    assert.doesNotMatch(JSON.stringify(body), /elsewhere/);
    assert.deepEqual(seen, ['/admin/identities?page_size=1&page_token=opaque%2B%2F%3D%26+token']);
    respond = page([identity(1)], link(NEXT));
    assert.equal((await list(`?page_token=${NEXT}`)).body.next_page_token, null, 'it leads to itself');
  });

  const REFUSED: [query: string, code: string][] = [
    ['page_size=251', 'invalid_page_size'],
    ['page_size=1&page_size=2', 'invalid_page_size'],
    ['page_token=a%0d%0ab', 'invalid_page_token'],
    ['credentials_identifier=a%00b', 'invalid_credentials_identifier'],
    ['credentials_identifier=a&credentials_identifier_prefix=a', 'bad_request'],
  ];
  it('are refused for other parameters, and the store is not asked', async () => {
    for (const [query, code] of REFUSED) {
      const { status, body } = await list(`?${query}`);
      assert.deepEqual([status, body.error], [400, code], query);
    }
    assert.deepEqual(seen, []);
  });

  it('with a cursor that the store refuses are refused as invalid_page_token', async () => {
    const message = 'The page token is invalid, do not craft your own page tokens';
    respond = page({ error: { code: 500, reason: message, message } }, {}, 400);
    for (const query of ['?page_token=old', '?credentials_identifier_prefix=person&page_token=old']) {
      const { status, body } = await list(query);
      assert.deepEqual([status, body.error], [400, 'invalid_page_token']);
    }
  });

  describe('whose identifier begins with a text', () => {
    const found = (...identifiers: string[]) => ({ ...identity(1), credentials: { password: { identifiers } } });

    it("are found by Kratos' experimental search, and have the same five fields", async () => {
      respond = page([found('Person-1@example.com')], link(NEXT));
      const { body } = await list('?credentials_identifier_prefix=pErSon&page_size=5');
      assert.equal(Object.keys(body.identities[0] ?? {}).length, 5);
      assert.equal(body.next_page_token, NEXT);
      assert.deepEqual(seen, ['/admin/identities?page_size=5&preview_credentials_identifier_similar=pErSon']);
    });

    it('are search_not_supported where the store ignores it, or finds somebody else as well', async () => {
      for (const others of [{ ...identity(1), credentials: undefined }, found('another@example.com')]) {
        respond = page([found('person-1@example.com'), others]);
        const { status, body } = await list('?credentials_identifier_prefix=person');
        assert.deepEqual([status, body.error], [400, 'search_not_supported']);
      }
    });
  });

  it('leave one audit record each, with exactly the members of the contract', async () => {
    const before = dashboard.logged.length;
    await list('?credentials_identifier=ada%40example.com');
    await list('');
    await list('?page_size=0');
    respond = page([]);
    await list('?credentials_identifier_prefix=ada');
    const records = dashboard.logged
      .slice(before)
      .map((line) => (JSON.parse(line) as { audit?: Record<string, unknown> }).audit)
      .filter((audit) => audit !== undefined);
    for (const record of records)
      assert.deepEqual(Object.keys(record).sort(), ['action', 'adminId', 'searchFilter', 'timestamp']);
    assert.deepEqual(
      records.map(({ action, searchFilter }) => [action, searchFilter]),
      ['ada@example.com', null, 'prefix:ada*'].map((filter) => ['identity_search', filter]),
    );
  });

  it('are counted with one small request, once a minute for all callers', async () => {
    respond = page([], { 'X-Total-Count': '12345' });
    await dashboard.restart({ IDENTITY_INDEX: 'off' });
    seen = [];
    const total = async (): Promise<number | null> => {
      const response = await dashboard.call('/api/identities/total', { session });
      return ((await response.json()) as IdentityTotal).total;
    };
    const totals = await Promise.all(Array.from({ length: 20 }, total));
    assert.deepEqual(new Set(totals), new Set([12_345]));
    assert.deepEqual(seen, ['/admin/identities?page=0&per_page=1']);
    aheadMs += 61_000;
    await total();
    assert.equal(seen.length, 2);
  });
});

import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IdentityPage } from '../../shared/identities.ts';
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

type Answer = (req: IncomingMessage, res: ServerResponse) => void;
const page =
  (body: unknown, headers: Record<string, string> = {}, status = 200): Answer =>
  (_req, res) =>
    void res.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(JSON.stringify(body));
const link = (token: string, base = ''): Record<string, string> => ({
  Link: `<${base}/admin/identities?page_size=1&page_token=x>; rel="first",<${base}/admin/identities?page_size=1&page_token=${token}>; rel="next"`,
});

describe('identities', () => {
  let store: Server;
  let dashboard: Dashboard;
  let session: string;
  let answer: Answer;
  let seen: string[] = [];
  let clockOffset = 0;

  before(async () => {
    store = createServer((req, res) => {
      seen.push(`${req.url} ${req.headers.authorization ?? ''}`.trim());
      answer(req, res);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => store.once('listening', resolve));
    const address = `http://127.0.0.1:${(store.address() as AddressInfo).port}`;
    dashboard = await startDashboard({
      storeFromSandbox: true,
      env: { IDENTITY_ADMIN_URL: address, PROXY_TIMEOUT_MS: '1000' },
      now: () => Date.now() + clockOffset,
    });
    session = await dashboard.signIn('admin');
  });
  after(async () => {
    await dashboard.close();
    store.closeAllConnections();
    store.close();
  });
  beforeEach(() => {
    seen = [];
    answer = page([identity(1)]);
  });

  const ask = async (
    query: string,
  ): Promise<{ status: number; body: IdentityPage & { error?: string }; text: string }> => {
    const response = await dashboard.call(`/api/identities${query}`, { session });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text) as IdentityPage & { error?: string }, text };
  };

  it('are listed with exactly five fields, whatever the store adds', async () => {
    const { body } = await ask('');
    assert.deepEqual(body, {
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

  it('of an empty store are an empty page', async () => {
    answer = page([], { Link: '</admin/identities?page_size=25&page_token=0>; rel="first"' });
    assert.deepEqual((await ask('')).body, { identities: [], next_page_token: null, has_more: false });
  });

  it('have a cursor that is passed through as it is', async () => {
    answer = page([identity(1)], link(NEXT));
    const { body } = await ask(`?page_size=1&page_token=${encodeURIComponent('opaque+/=& token')}`);
    assert.equal(body.next_page_token, NEXT);
    assert.equal(body.has_more, true);
    assert.deepEqual(seen, ['/admin/identities?page_size=1&page_token=opaque%2B%2F%3D%26+token']);
  });

  const refused: [string, string, string][] = [
    ...['0', '251', '-1', '1.5', '1e2', '%2025', '25%20', '', '+5', '0x10', '9999', '٣'].map(
      (size): [string, string, string] => [`page_size=${size}`, `?page_size=${size}`, 'invalid_page_size'],
    ),
    ['page_size given twice', '?page_size=1&page_size=2', 'invalid_page_size'],
    ['a page_token of 2,049 characters', `?page_token=${'x'.repeat(2049)}`, 'invalid_page_token'],
    ['a page_token with a line break', '?page_token=a%0d%0ab', 'invalid_page_token'],
    ['a page_token given twice', '?page_token=a&page_token=b', 'invalid_page_token'],
    ['an identifier of 256 characters', `?credentials_identifier=${'x'.repeat(256)}`, 'invalid_credentials_identifier'],
    ['an identifier with NUL', '?credentials_identifier=a%00b', 'invalid_credentials_identifier'],
    ['an identifier with a line break', '?credentials_identifier=a%0d%0aX:1', 'invalid_credentials_identifier'],
    ['an identifier with DEL', '?credentials_identifier=a%7f', 'invalid_credentials_identifier'],
    [
      'an identifier given twice',
      '?credentials_identifier=a&credentials_identifier=b',
      'invalid_credentials_identifier',
    ],
    [
      'the beginning of an identifier with a line break',
      '?credentials_identifier_prefix=a%0d%0ab',
      'invalid_credentials_identifier',
    ],
    [
      'the beginning of an identifier of 256 characters',
      `?credentials_identifier_prefix=${'x'.repeat(256)}`,
      'invalid_credentials_identifier',
    ],
    [
      'a whole identifier and the beginning of one',
      '?credentials_identifier=a&credentials_identifier_prefix=a',
      'bad_request',
    ],
  ];
  for (const [title, query, code] of refused)
    it(`with ${title} are refused as ${code}, and the store is not asked`, async () => {
      const { status, body } = await ask(query);
      assert.equal(status, 400);
      assert.equal(body.error, code);
      assert.deepEqual(seen, []);
    });

  const forwarded: [string, string, string][] = [
    ['page_size 1', '?page_size=1', '?page_size=1'],
    ['page_size 250', '?page_size=250', '?page_size=250'],
    ['a token of 2,048 characters', `?page_token=${'x'.repeat(2048)}`, `?page_size=25&page_token=${'x'.repeat(2048)}`],
    ['an empty token', '?page_token=', '?page_size=25'],
    [
      'an identifier of 255 characters',
      `?credentials_identifier=${'x'.repeat(255)}`,
      `?page_size=25&credentials_identifier=${'x'.repeat(255)}`,
    ],
    [
      '255 emoji',
      `?credentials_identifier=${encodeURIComponent('🙂'.repeat(255))}`,
      `?page_size=25&credentials_identifier=${encodeURIComponent('🙂'.repeat(255))}`,
    ],
    ['a plus sign', '?credentials_identifier=a%2Bb%40x.org', '?page_size=25&credentials_identifier=a%2Bb%40x.org'],
    [
      'an encoded parameter',
      '?credentials_identifier=a%26page_size%3D1',
      '?page_size=25&credentials_identifier=a%26page_size%3D1',
    ],
    ['parameters it does not know', '?include_credential=password&ids=1', '?page_size=25'],
  ];
  for (const [title, query, upstream] of forwarded)
    it(`with ${title} ask the store one well-formed question`, async () => {
      assert.equal((await ask(query)).status, 200);
      assert.deepEqual(seen, [`/admin/identities${upstream}`]);
    });

  it('with a cursor that the store refuses are refused as invalid_page_token', async () => {
    for (const [code, message] of [
      [400, 'The page token is invalid, do not craft your own page tokens'],
      [500, 'page token expired, do not persist page tokens'],
      [500, 'decode token: illegal base64 data at input byte 4'],
    ] as const) {
      answer = page({ error: { code, reason: message, message } }, {}, 400);
      const { status, body } = await ask('?page_token=old');
      assert.deepEqual([status, body.error], [400, 'invalid_page_token']);
    }
  });

  describe('whose identifier begins with a text', () => {
    const found = (...identifiers: string[]) => ({ ...identity(1), credentials: { password: { identifiers } } });

    it("are asked for by Kratos' experimental search, and have the same five fields", async () => {
      answer = page([found('Person-1@example.com')], link(NEXT));
      const { status, body } = await ask('?credentials_identifier_prefix=pErSon&page_size=5');
      assert.equal(status, 200);
      assert.deepEqual(Object.keys(body.identities[0] ?? {}).length, 5);
      assert.equal(body.next_page_token, NEXT);
      assert.deepEqual(seen, ['/admin/identities?page_size=5&preview_credentials_identifier_similar=pErSon']);
    });

    it('may be none at all', async () => {
      answer = page([]);
      assert.deepEqual((await ask('?credentials_identifier_prefix=x')).body.identities, []);
    });

    for (const [title, misbehave] of [
      ['refuses to search so', page({ error: { code: 400, reason: 'unknown parameter' } }, {}, 400)],
      ['ignores it and lists everybody', page([{ ...identity(1), credentials: undefined }])],
      ['finds somebody else as well', page([found('person-1@example.com'), found('another@example.com')])],
    ] as const)
      it(`are search_not_supported where the store ${title}`, async () => {
        answer = misbehave;
        const { status, body } = await ask('?credentials_identifier_prefix=person');
        assert.deepEqual([status, body.error], [400, 'search_not_supported']);
      });

    it('still have cursors that may be too old', async () => {
      answer = page({ error: { code: 400, reason: 'The page token is invalid' } }, {}, 400);
      const { body } = await ask('?credentials_identifier_prefix=person&page_token=old');
      assert.equal(body.error, 'invalid_page_token');
    });

    it('leave an audit record that names the beginning', async () => {
      const before = dashboard.logged.length;
      answer = page([]);
      await ask('?credentials_identifier_prefix=ada');
      const records = dashboard.logged
        .slice(before)
        .map((line) => (JSON.parse(line) as { audit?: { searchFilter?: string } }).audit?.searchFilter)
        .filter((filter) => filter !== undefined);
      assert.deepEqual(records, ['prefix:ada*']);
    });
  });

  const failures: [string, Answer, number, string][] = [
    [
      'answers HTML',
      (_req, res) => void res.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'),
      502,
      'bad_gateway',
    ],
    ['answers half a JSON', (_req, res) => void res.end('[{"id":"x",'), 502, 'bad_gateway'],
    ['answers an object', page({ identities: [] }), 502, 'bad_gateway'],
    ['answers a list of texts', page(['x']), 502, 'bad_gateway'],
    ['refuses the key', page({ error: { code: 401 } }, {}, 401), 502, 'bad_gateway'],
    ['refuses the question', page({ error: { reason: 'bad' } }, {}, 400), 502, 'bad_gateway'],
    ['redirects', page({}, { Location: 'http://elsewhere.test/' }, 307), 502, 'bad_gateway'],
    ['fails', page({ error: { reason: 'person-1@example.com' } }, {}, 500), 502, 'bad_gateway'],
    ['breaks off', (_req, res) => void res.destroy(), 502, 'bad_gateway'],
    ['is silent', () => {}, 504, 'gateway_timeout'],
  ];
  for (const [title, misbehave, status, code] of failures)
    it(`of a store that ${title} are ${status} ${code}, without a word of it`, async () => {
      answer = misbehave;
      const failed = await ask('');
      assert.deepEqual([failed.status, failed.body.error], [status, code]);
      assert.doesNotMatch(failed.text, /example|elsewhere|127\.0\.0\.1/);
    });

  it('of a store that names a thousand members more are listed all the same', async () => {
    const extra = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`extra_${index}`, 'x'.repeat(100)]));
    answer = page(Array.from({ length: 25 }, (_, index) => ({ ...identity(index), ...extra })));
    const { status, body } = await ask('');
    assert.equal(status, 200);
    assert.equal(body.identities.length, 25);
    assert.equal(Object.keys(body.identities[0] ?? {}).length, 5);
  });

  it('never send anyone to an address that the store names', async () => {
    answer = page([identity(1)], link(NEXT, 'http://elsewhere.test'));
    const { text, body } = await ask('');
    assert.equal(body.next_page_token, NEXT);
    assert.doesNotMatch(text, /elsewhere/);
  });

  it('end where the cursor leads to itself', async () => {
    answer = page([identity(1)], link(NEXT));
    assert.deepEqual((await ask(`?page_token=${NEXT}`)).body.next_page_token, null);
  });

  it('are asked for with the stored key', async () => {
    const key = { key: 'upstream.identity-admin.api_key', value: 'key-of-the-store' };
    await dashboard.call('/api/settings', { session, json: key });
    await ask('');
    assert.deepEqual(seen, ['/admin/identities?page_size=25 Bearer key-of-the-store']);
    await dashboard.call('/api/settings/upstream.identity-admin.api_key', { session, method: 'DELETE' });
  });

  it('leave one audit record each, with exactly the members of the contract', async () => {
    const before = dashboard.logged.length;
    await ask('?credentials_identifier=ada%40example.com');
    await ask('');
    await ask('?page_size=0');
    const records = dashboard.logged
      .slice(before)
      .map((line) => (JSON.parse(line) as { audit?: Record<string, unknown> }).audit)
      .filter((audit) => audit !== undefined);
    assert.equal(records.length, 2);
    for (const record of records)
      assert.deepEqual(Object.keys(record).sort(), ['action', 'adminId', 'searchFilter', 'timestamp']);
    assert.deepEqual(
      records.map(({ searchFilter }) => searchFilter),
      ['ada@example.com', null],
    );
    assert.deepEqual(
      records.map(({ action }) => action),
      ['identity_search', 'identity_search'],
    );
  });

  describe('total', () => {
    const total = async (): Promise<{ total: number | null; as_of: string }> =>
      (await (await dashboard.call('/api/identities/total', { session })).json()) as {
        total: number | null;
        as_of: string;
      };
    beforeEach(() => {
      clockOffset += 61_000;
    });

    it('is counted with one small question, once a minute for everybody', async () => {
      answer = page([identity(1)], { 'X-Total-Count': '12345' });
      const answers = await Promise.all(Array.from({ length: 20 }, total));
      for (const { total: count } of answers) assert.equal(count, 12_345);
      clockOffset += 59_000;
      assert.deepEqual(await total(), answers[0]);
      assert.deepEqual(seen, ['/admin/identities?page=0&per_page=1']);
      clockOffset += 2_000;
      await total();
      assert.equal(seen.length, 2);
    });

    it('is counted anew once somebody was created or deleted through this service', async () => {
      answer = page([], { 'X-Total-Count': '3' });
      assert.equal((await total()).total, 3);
      answer = (req, res) =>
        req.method === 'DELETE' ? void res.writeHead(204).end() : page([], { 'X-Total-Count': '2' })(req, res);
      const id = '11111111-1111-4111-8111-111111111111';
      const path = `/api/identity-admin/admin/identities/${id}`;
      assert.equal((await dashboard.call(path, { session, method: 'DELETE' })).status, 204);
      assert.equal((await total()).total, 2);
    });

    it('is null where the store does not say', async () => {
      assert.equal((await total()).total, null);
    });

    it('of a store that fails is 502, and asked again at the next call', async () => {
      answer = page({}, {}, 500);
      assert.equal((await dashboard.call('/api/identities/total', { session })).status, 502);
      answer = page([], { 'X-Total-Count': '7' });
      assert.equal((await total()).total, 7);
    });
  });
});

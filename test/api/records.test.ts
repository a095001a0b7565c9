import assert from 'node:assert/strict';
import { RECORDS_MAX, type Records } from '../../shared/records.ts';
import { messageItem, type StubResponse, sessionItem } from '../support/faulting-upstream.ts';
import { startMappedDashboard } from '../support/mapped-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';
import { requestHead, sendRaw } from '../support/raw-client.ts';
import { assertError } from '../support/settings-app.ts';

const ID = '6e0b4b1c-9d1f-4a55-8d5a-5d0c5f3a7b11';
const ALL = [`identity:${ID}`, `session:${ID}`, `message:${ID}`, `client:${ID}`];
const PERSON = {
  ...{ id: ID, schema_id: 'none', state: 'inactive', metadata_admin: { note: 'SECRET' } },
  traits: { email: 'ada@example.org', name: { first: 'Ada', last: 'Moreno' } },
  credentials: { password: { config: { hashed_password: 'SECRET' } } },
};
const AT = '2026-01-31T09:00:00.000Z';
const STORED: Record<string, object> = {
  [`/admin/identities/${ID}`]: PERSON,
  [`/admin/sessions/${ID}`]: { ...sessionItem(1, { at: new Date(AT), identity: PERSON }), id: ID, token: 'SECRET' },
  [`/admin/courier/messages/${ID}`]: messageItem({ id: ID, subject: 'SECRET', body: 'SECRET', created_at: AT }),
  [`/admin/clients/${ID}`]: { client_id: ID, client_name: 'Shop', client_secret: 'SECRET', created_at: AT },
};
const FOUND: Records['records'] = [
  { resource: 'identity', id: ID, state: 'inactive', name: 'Ada Moreno', identifier: 'ada@example.org' },
  {
    ...{ resource: 'session', id: ID, name: 'Ada Moreno', identity_id: ID, active: false },
    ...{ authenticated_at: AT, expires_at: '2026-02-01T09:00:00.000Z' },
  },
  {
    ...{ resource: 'message', id: ID, recipient: 'somebody@example.org', template_type: 'recovery_code_valid' },
    ...{ status: 'sent', created_at: AT },
  },
  { resource: 'client', id: ID, name: 'Shop' },
];

describe('GET /api/records', () => {
  const suite = ofSuite(() => startMappedDashboard({ EXTRA_ROLES: 'support,auditor' }));
  beforeEach(() => respond(({ path }) => ({ status: 200, body: JSON.stringify(STORED[path.split('?')[0] ?? '']) })));

  function respond(before: typeof suite.identityAdmin.before): void {
    for (const upstream of [suite.identityAdmin, suite.oauthAdmin]) {
      upstream.reset();
      upstream.before = before;
    }
  }
  const call = (names: readonly string[], session = suite.sessions.admin) => {
    const query = names.map((name) => `record=${encodeURIComponent(name)}`).join('&');
    return suite.dashboard.call(`/api/records?${query}`, { session });
  };
  async function read(names: readonly string[], session?: string): Promise<Records> {
    const response = await call(names, session);
    assert.equal(response.status, 200);
    return (await response.json()) as Records;
  }
  /** Those that name a record. */
  const requests = (): string[] =>
    [...suite.identityAdmin.requests, ...suite.oauthAdmin.requests]
      .map(({ path }) => path)
      .filter((path) => path.includes(ID) || path.includes('clients/'));

  it('summarises a record of each kind, without secrets and texts of messages, and reads all four at once', async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    respond(async ({ path }) => {
      if (requests().length === ALL.length) resolve();
      await promise;
      return { status: 200, body: JSON.stringify(STORED[path.split('?')[0] ?? '']) };
    });
    assert.deepEqual(await read(ALL), { records: FOUND, gone: [], failed: [] });
    const upper = ALL.slice(0, 3).map((name) => name.replace(ID, ID.toUpperCase()));
    assert.deepEqual((await read([...upper, ...ALL])).records, FOUND);
  });

  const kratos = (code: number) => JSON.stringify({ error: { code, message: 'SECRET' } });
  const hydra = JSON.stringify({ error: 'Unable to locate the resource', error_description: 'SECRET' });
  const RESPONSES: [what: string, StubResponse, gone: string[], failed: string][] = [
    ['a 404 of Kratos', { status: 404, body: kratos(404) }, ['identity', 'session', 'message'], 'bad_gateway'],
    ['a 404 of Hydra', { status: 404, body: hydra }, ['client'], 'bad_gateway'],
    ['a 404 of a gateway', { status: 404, body: 'no such page' }, [], 'bad_gateway'],
    ...[400, 401, 403, 429, 500].map((status): (typeof RESPONSES)[0] => [
      `${status}`,
      { status, body: kratos(status) },
      [],
      'bad_gateway',
    ]),
    ['another document', { status: 200, body: '{}' }, [], 'bad_gateway'],
    [
      'another record',
      { status: 200, body: JSON.stringify({ ...PERSON, id: ID.replace('6', '7') }) },
      [],
      'bad_gateway',
    ],
  ];
  for (const [what, response, gone, error] of RESPONSES)
    it(`says that ${gone.join(', ') || 'nothing'} is gone if a service responds with ${what}, and sends each request only once`, async () => {
      respond(() => response);
      const body = await read(ALL);
      assert.deepEqual([body.records, body.gone.map(({ resource }) => resource)], [[], gone]);
      for (const { resource, ...failure } of body.failed) {
        const service = resource === 'client' ? 'OAuth 2.0 server' : 'identity service';
        assert.deepEqual(failure, { id: ID, error, message: `The ${service} did not return it.` });
      }
      assert.equal(body.failed.length, ALL.length - gone.length);
      assert.equal(new Set(requests()).size, requests().length);
    });

  it('names a service that is not configured, and one that is silent, while it shows what others have', async () => {
    await suite.restart({ OAUTH_ADMIN_URL: '', PROXY_TIMEOUT_MS: '1000' });
    respond(({ path }) => (path.includes('sessions') ? 'silence' : { status: 404, body: kratos(404) }));
    const { gone, failed } = await read(ALL);
    assert.deepEqual(
      [gone.map(({ resource }) => resource), failed.map(({ error, message }) => [error, message])],
      [
        ['identity', 'message'],
        [
          ['gateway_timeout', 'The identity service did not respond in time.'],
          ['bad_gateway', 'The OAuth 2.0 server is not configured.'],
        ],
      ],
    );
    await suite.restart({ OAUTH_ADMIN_URL: suite.oauthAdmin.url });
  });

  for (const [role, forbidden] of [
    ['viewer', ALL],
    ['support', ALL.slice(3)],
    ['auditor', []],
  ] as const)
    it(`reads only what the role ${role} may read`, async () => {
      const { records, gone, failed } = await read(ALL, await suite.dashboard.signIn(role));
      const isForbidden = ({ resource }: { resource: string }): boolean =>
        forbidden.some((name) => name.startsWith(resource));
      assert.deepEqual([records, gone], [FOUND.filter((one) => !isForbidden(one)), []]);
      assert.deepEqual(
        failed.map(({ resource, error, message }) => [resource, error, message]),
        FOUND.filter(isForbidden).map(({ resource }) => [resource, 'forbidden', 'Your role may not read it.']),
      );
      assert.equal(requests().length, records.length);
    });

  it('reads up to 58 records, and refuses more, none and malformed ones without a request to a service', async () => {
    respond(() => ({ status: 404, body: hydra }));
    const session = `Cookie: dashboard-session=${suite.sessions.admin}`;
    const clients = Array.from({ length: RECORDS_MAX }, (_, index) => `client:${index}`);
    assert.equal((await read(clients)).gone.length, RECORDS_MAX);
    const odd = ['client:..', 'client:a/../b?c#d', 'client:a:b', 'client:ä'];
    assert.deepEqual(
      (await read(odd)).gone.map(({ id }) => `client:${id}`),
      odd,
    );
    respond(() => undefined);
    for (const name of [
      '',
      ID,
      'person:1',
      'identity:..',
      `identity:${ID}/`,
      `session:{${ID}}`,
      'client:',
      'client:a\n',
    ])
      assert.match((await assertError(await call([ALL[0] ?? '', name]), 400, 'bad_request')).message, /^record /);
    await assertError(await call([...clients, 'client:58']), 400, 'bad_request');
    for (const query of ['', '?record', '?record[]=client:a', '?record=client:%ff%00', '?record=identity%253A1']) {
      const { status } = await sendRaw(suite.dashboard.port, requestHead(`GET /api/records${query}`, [session]));
      assert.equal(status, 400, query);
    }
    assert.deepEqual(requests(), []);
  });
});

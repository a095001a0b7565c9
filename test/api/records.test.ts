import assert from 'node:assert/strict';
import { RECORDS_MAX, type Records } from '../../shared/records.ts';
import { messageItem, sessionItem } from '../support/faulting-upstream.ts';
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
  const RESPONSES: [what: string, status: number, body: string, gone?: string[]][] = [
    ['Kratos’ own 404', 404, kratos(404), ['identity', 'session', 'message']],
    ['Hydra’s own 404', 404, hydra, ['client']],
    ['the 404 of a gateway', 404, 'no such page'],
    ...[400, 401, 403, 429, 500].map((status): [string, number, string] => [`${status}`, status, kratos(status)]),
    ['another document', 200, '{}'],
    ['another record', 200, JSON.stringify({ ...PERSON, id: ID.replace('6', '7') })],
  ];
  for (const [what, status, body, gone = []] of RESPONSES)
    it(`finds ${gone.join(', ') || 'nothing'} gone and the rest failed if services respond with ${what}, without a second attempt`, async () => {
      respond(() => ({ status, body }));
      const result = await read(ALL);
      const isGone = ({ resource }: { resource: string }): boolean => gone.includes(resource);
      const failure = { error: 'bad_gateway', message: 'Unable to reach upstream service.' };
      const left = FOUND.filter((one) => !isGone(one)).map(({ resource, id }) => ({ resource, id, ...failure }));
      const references = FOUND.filter(isGone).map(({ resource, id }) => ({ resource, id }));
      assert.deepEqual(result, { records: [], gone: references, failed: left });
      assert.equal(new Set(requests()).size, requests().length);
    });

  it('has what other services have if one is not configured, and another is silent', async () => {
    await suite.restart({ OAUTH_ADMIN_URL: '', PROXY_TIMEOUT_MS: '1000' });
    respond(({ path }) => (path.includes('sessions') ? 'silence' : { status: 404, body: kratos(404) }));
    const { gone, failed } = await read(ALL);
    assert.deepEqual(
      [...gone.map(({ resource }) => resource), ...failed.map(({ error, resource }) => `${resource}: ${error}`)],
      ['identity', 'message', 'session: gateway_timeout', 'client: bad_gateway'],
    );
    await suite.restart({ OAUTH_ADMIN_URL: suite.oauthAdmin.url });
  });

  for (const [role, readable] of [
    ['viewer', 0],
    ['support', 3],
    ['auditor', 4],
  ] as const)
    it(`reads only what the role ${role} may read`, async () => {
      const { records, failed } = await read(ALL, await suite.dashboard.signIn(role));
      assert.deepEqual(records, FOUND.slice(0, readable));
      const refused = { error: 'forbidden', message: 'Your role may not read it.' };
      const left = FOUND.slice(readable).map(({ resource, id }) => ({ resource, id, ...refused }));
      assert.deepEqual(failed, left);
      assert.equal(requests().length, readable);
    });

  it('reads up to 58 records, and refuses more, none and malformed ones without a request to a service', async () => {
    respond(() => ({ status: 404, body: hydra }));
    const odd = ['client:..', 'client:a/../b?c#d', 'client:a:b', 'client:ä'];
    const clients = [...odd, ...Array.from({ length: RECORDS_MAX - odd.length }, (_, index) => `client:${index}`)];
    const { gone } = await read(clients);
    assert.deepEqual(
      gone,
      clients.map((name) => ({ resource: 'client', id: name.slice(7) })),
    );
    respond(() => undefined);
    const malformed = [
      '',
      ID,
      'person:1',
      'identity:..',
      `identity:${ID}/`,
      `session:{${ID}}`,
      'client:',
      'client:a\n',
    ];
    for (const names of [[], [...clients, 'client:58'], ...malformed.map((name) => [`session:${ID}`, name])])
      assert.match((await assertError(await call(names), 400, 'bad_request')).message, /^record /);
    const session = `Cookie: dashboard-session=${suite.sessions.admin}`;
    for (const query of ['?record', '?record[]=client:a', '?record=client:%ff%00', '?record=identity%253A1'])
      assert.equal(
        (await sendRaw(suite.dashboard.port, requestHead(`GET /api/records${query}`, [session]))).status,
        400,
      );
    assert.deepEqual(requests(), []);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { POSTURE_IDS, type Posture, type PostureId, type PostureStatus } from '../../shared/security.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { examinedDeployment, foundBy, NOWHERE, postureAt, randomKey, sandboxCredentials } from '../support/posture.ts';
import { SERVICE, startNode } from '../support/processes.ts';

describe('the posture report', () => {
  let dashboard: Dashboard;
  let session: string;
  before(async () => {
    dashboard = await startDashboard();
    session = await dashboard.signIn('admin');
  });
  after(() => dashboard.close());

  async function report(): Promise<Posture> {
    const response = await dashboard.call('/api/security/posture', { session });
    assert.equal(response.status, 200);
    return (await response.json()) as Posture;
  }

  it('has every check once, in order, and names no address, no port, no identity and no key', async () => {
    const found = await report();
    assert.deepEqual(
      found.checks.map(({ id }) => id),
      POSTURE_IDS,
    );
    const text = JSON.stringify(found);
    const { port, env } = dashboard;
    assert.doesNotMatch(text, /127\.0\.0\.1|localhost|https?:|@|[0-9a-f]{8}-[0-9a-f]{4}-/);
    for (const secret of [String(port), env.SESSION_SIGNING_KEY ?? '', env.ENCRYPTION_KEY ?? ''])
      assert.ok(!text.includes(secret));
  });

  it('is printed by a command, which fails when a check does', async () => {
    const { checks } = await report();
    const command = startNode([...SERVICE, 'posture'], { ...dashboard.env, LOG_LEVEL: 'silent' });
    assert.equal(await command.ended(), 1);
    const headlines = command.output().match(/^(?:pass|warn|fail|unknown) .*$/gm) ?? [];
    assert.deepEqual(
      headlines.map((line) => line.split(':', 1)[0]),
      checks.map(({ status, title }) => `${status.padEnd(7)} ${title}`),
    );
  });

  const FOUND: [id: PostureId, env: NodeJS.ProcessEnv, status: PostureStatus][] = [
    ['operator_schemas', { OPERATOR_SCHEMA_IDS: 'operator' }, 'pass'],
    ['operator_schemas', { OPERATOR_SCHEMA_IDS: 'any' }, 'warn'],
    ['operator_schemas', { OPERATOR_SCHEMA_IDS: '' }, 'fail'],
    ['operator_schemas', { IDENTITY_URL: NOWHERE }, 'unknown'],
    ['role_self_service', { OPERATOR_SCHEMA_IDS: 'operator' }, 'unknown'],
    ['oauth_client', { OAUTH_CLIENT_ID: 'nobody' }, 'fail'],
    ['upstream_keys', { IDENTITY_ADMIN_URL: NOWHERE, OAUTH_ADMIN_URL: NOWHERE }, 'unknown'],
    ['upstream_without_key', {}, 'fail'],
  ];
  for (const [id, env, status] of FOUND)
    it(`finds ${id} to be ${status} with ${JSON.stringify(env)}`, async () => {
      await eventually(() => foundBy(id, { env: { ...dashboard.env, ...env } }), status);
    });
});

describe('the posture', () => {
  const own = examinedDeployment();

  it('of roles follows the schemas themselves', async () => {
    let properties: object = { email: {}, role: {} };
    const server = createServer((_req, res) =>
      res.end(JSON.stringify([{ id: 'customer', schema: { properties: { traits: { properties } } } }])),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const env = { OPERATOR_SCHEMA_IDS: '', IDENTITY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    try {
      await eventually(() => own.statusOf('role_self_service', { env }), 'fail');
      properties = { email: {} };
      await eventually(() => own.statusOf('role_self_service', { env }), 'unknown');
    } finally {
      server.closeAllConnections();
      server.close();
    }
  });

  it('of second factors follows the operators’ credentials', async () => {
    await own.dashboard.signIn('viewer');
    const ids = new Map<string, string>(
      (await own.knex('audit_log').where({ action: 'login' }).select('record')).map(({ record }) => {
        const { actor, details } = JSON.parse(record);
        return [details.role, actor];
      }),
    );
    const credentials = sandboxCredentials(own.dashboard);
    await eventually(() => own.statusOf('second_factor'), 'fail');
    credentials.set(ids.get('admin') ?? '', 'totp', {});
    await eventually(() => own.statusOf('second_factor'), 'warn');
    credentials.set(ids.get('viewer') ?? '', 'webauthn', { credentials: [{ id: 'key' }] });
    await eventually(() => own.statusOf('second_factor'), 'pass');
    credentials.close();
    await eventually(() => own.statusOf('second_factor', { env: { AUTH_IDENTITY_ADMIN_URL: NOWHERE } }), 'unknown');
  });

  it('of the OAuth client follows the OAuth server’s record of it', async () => {
    const clients = (method: string, json?: unknown): Promise<Response> =>
      own.dashboard.call(`/api/oauth-admin/admin/clients/${own.dashboard.env.OAUTH_CLIENT_ID}`, {
        session: own.session,
        method,
        json,
      });
    const { redirect_uris } = (await (await clients('GET')).json()) as { redirect_uris: string[] };
    const CHANGES: [change: object, status: PostureStatus][] = [
      [{ redirect_uris: [...redirect_uris, 'https://evil.example/cb'] }, 'warn'],
      [{ redirect_uris: ['https://evil.example/cb'], post_logout_redirect_uris: [] }, 'fail'],
      [{ redirect_uris }, 'pass'],
      [{ grant_types: ['authorization_code', 'client_credentials'] }, 'warn'],
      [{ grant_types: ['refresh_token'] }, 'fail'],
      [{ grant_types: ['authorization_code'] }, 'pass'],
      [{ token_endpoint_auth_method: 'client_secret_basic' }, 'fail'],
      [{ token_endpoint_auth_method: 'none' }, 'pass'],
    ];
    for (const [change, status] of CHANGES) {
      const patch = Object.entries(change).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }));
      assert.equal((await clients('PATCH', patch)).status, 200, JSON.stringify(change));
      await eventually(() => own.statusOf('oauth_client'), status, JSON.stringify(change));
    }
  });

  it('of the clock follows the clock', async () => {
    await eventually(() => own.statusOf('clock'), 'pass');
    await eventually(() => own.statusOf('clock', { now: Date.now() + 20_000 }), 'warn');
    await eventually(() => own.statusOf('clock', { now: Date.now() - 3_600_000 }), 'fail');
  });

  it('of upstreams that require a key follows the stored keys', async () => {
    const KEY = 'key-of-the-services';
    const dashboard = await startDashboard({
      sandbox: { apiKeys: { identityAdmin: KEY, oauthAdmin: KEY } },
      env: { AUTH_IDENTITY_ADMIN_KEY: KEY },
    });
    const session = await dashboard.signIn('admin');
    const status = async (id: PostureId, env = {}): Promise<PostureStatus> =>
      (await postureAt({ env: { ...dashboard.env, ...env } }))(id).status;
    const store = async (name: string, value: string): Promise<void> => {
      const json = { key: `upstream.${name}.api_key`, value };
      assert.ok((await dashboard.call('/api/settings', { session, json })).ok);
    };
    assert.equal(await status('upstream_without_key'), 'pass');
    assert.equal(await status('upstream_keys'), 'fail');
    await store('identity-admin', KEY);
    await store('oauth-admin', KEY);
    assert.equal(await status('upstream_keys'), 'pass');
    assert.equal(await status('oauth_client'), 'pass');
    assert.equal(await status('upstream_keys', { ENCRYPTION_KEY: randomKey() }), 'fail');
    await dashboard.close();
  });
});

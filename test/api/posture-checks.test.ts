import assert from 'node:assert/strict';
import { chmod, chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditChain } from '../../server/audit/audit-chain.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Deps } from '../../server/deps.ts';
import type { PostureStatus } from '../../shared/posture.ts';
import { mmdb } from '../support/mmdb.ts';
import { DAY, examinedDeployment, NOWHERE } from '../support/posture.ts';
import { sandboxCredentials } from '../support/sandbox-credentials.ts';

describe('the posture', () => {
  const own = examinedDeployment();

  it('of roles follows the schemas themselves', async () => {
    const schemas = (properties: object) => [{ id: 'customer', schema: { properties: { traits: { properties } } } }];
    let properties: object = { email: {}, role: {} };
    const server = createServer((_req, res) => res.end(JSON.stringify(schemas(properties)))).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const env = { OPERATOR_SCHEMA_IDS: '', IDENTITY_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
    try {
      assert.equal(await own.statusOf('role_self_service', { env }), 'fail');
      properties = { email: {} };
      assert.equal(await own.statusOf('role_self_service', { env }), 'unknown');
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
    assert.equal(await own.statusOf('second_factor'), 'fail');
    credentials.set(ids.get('admin') ?? '', 'totp', {});
    assert.equal(await own.statusOf('second_factor'), 'warn');
    credentials.set(ids.get('viewer') ?? '', 'webauthn', { credentials: [{ id: 'key' }] });
    assert.equal(await own.statusOf('second_factor'), 'pass');
    credentials.close();
    assert.equal(await own.statusOf('second_factor', { env: { AUTH_IDENTITY_ADMIN_URL: NOWHERE } }), 'unknown');
    assert.equal(await own.statusOf('second_factor', { now: Date.now() + 91 * DAY }), 'unknown');
  });

  it('of the OAuth client follows what the OAuth server has', async () => {
    assert.equal(await own.statusOf('oauth_client'), 'pass');
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
      [{ scope: 'openid email' }, 'fail'],
      [{ scope: 'email profile openid offline_access' }, 'pass'],
      [{ response_types: ['code', 'id_token'] }, 'warn'],
    ];
    for (const [change, status] of CHANGES) {
      const patch = Object.entries(change).map(([name, value]) => ({ op: 'replace', path: `/${name}`, value }));
      assert.equal((await clients('PATCH', patch)).status, 200, JSON.stringify(change));
      assert.equal(await own.statusOf('oauth_client'), status, JSON.stringify(change));
    }
  });
  const clients = (method: string, json?: unknown): Promise<Response> =>
    own.dashboard.call(`/api/oauth-admin/admin/clients/${own.dashboard.env.OAUTH_CLIENT_ID}`, {
      session: own.session,
      method,
      json,
    });

  it('of the clock follows the clock', async () => {
    assert.equal(await own.statusOf('clock'), 'pass');
    for (const direction of [1, -1]) {
      assert.equal(await own.statusOf('clock', { now: Date.now() + direction * 20_000 }), 'warn');
      assert.equal(await own.statusOf('clock', { now: Date.now() + direction * 3_600_000 }), 'fail');
    }
  });

  it('of the audit trail follows its chain', async () => {
    assert.equal(await own.statusOf('audit_chain'), 'pass');
    await appendFast(20_000);
    assert.equal(await own.statusOf('audit_chain'), 'unknown');
    const first = async ({ chain }: Deps): Promise<void> => {
      while ((await chain.state()).status === 'checking');
    };
    assert.equal(await own.statusOf('audit_chain', { first }), 'pass');
    await own.knex('audit_log').where({ sequence: 1 }).update({ subject: 'setting:other' });
    assert.equal(await own.statusOf('audit_chain'), 'fail');
  });

  async function appendFast(count: number): Promise<void> {
    const chain = auditChain(derivedKeys({ current: own.dashboard.env.SESSION_SIGNING_KEY ?? '' }, 'audit-trail'));
    let head = await own.knex('audit_head').first('sequence', 'tag');
    const event = { action: 'login', actor: 'x', target: null, timestamp: new Date().toISOString() } as const;
    const records = Array.from({ length: count }, () => {
      head = chain.link(head, event);
      return head;
    });
    await own.knex.batchInsert('audit_log', records, 100);
    await own.knex('audit_head').update({ sequence: head.sequence, tag: head.tag });
  }

  it('of the audit queue follows what became of the records', async () => {
    const write = { action: 'proxy_write', actor: 'x', target: '/api/x', details: {} } as const;
    const queue =
      (count: number) =>
      async ({ audit }: Deps) => {
        for (let index = 0; index < count; index += 1) audit.queue(write);
        await new Promise((resolve) => setTimeout(resolve, 200));
      };
    assert.equal(await own.statusOf('audit_queue'), 'unknown');
    assert.equal(await own.statusOf('audit_queue', { first: queue(1) }), 'pass');
    const away = (count: number) => async (deps: Deps) => {
      await own.knex.schema.renameTable('audit_head', 'elsewhere');
      await queue(count)(deps);
    };
    const back = (): Promise<void> => own.knex.schema.renameTable('elsewhere', 'audit_head');
    assert.equal(await own.statusOf('audit_queue', { first: away(5) }), 'warn');
    await back();
    assert.equal(await own.statusOf('audit_queue', { first: away(10_050) }), 'fail');
    await back();
  });

  it('of places follows the file that places addresses', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'posture-geo-'));
    const file = join(directory, 'places.mmdb');
    const builtAt = new Date(Date.UTC(2026, 0, 1));
    await writeFile(
      file,
      mmdb({ ipVersion: 4, networks: { '192.0.2.0/24': { country: { iso_code: 'FR' } } }, builtAt }),
    );
    const at = (days: number, path = file): Promise<PostureStatus> =>
      own.statusOf('geo_data', { env: { GEOIP_DATABASE: path }, now: builtAt.getTime() + days * DAY });
    try {
      assert.equal(await at(30), 'pass');
      assert.equal(await at(181), 'warn');
      assert.equal(await at(731), 'fail');
      assert.equal(await at(30, join(directory, 'absent.mmdb')), 'fail');
      assert.equal(await at(30, 'off'), 'unknown');
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('of the index of identities follows its file and folder', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'posture-index-'));
    const file = join(directory, 'people.index');
    const status = (where = file): Promise<PostureStatus> =>
      own.statusOf('identity_index', { env: { IDENTITY_INDEX: where } });
    try {
      assert.equal(await status('memory'), 'pass');
      assert.equal(await status('off'), 'pass');
      assert.equal(await status(), 'unknown');
      await writeFile(file, '');
      for (const [mode, folder, expected] of [
        [0o600, 0o700, 'pass'],
        [0o640, 0o700, 'fail'],
        [0o604, 0o700, 'fail'],
        [0o600, 0o755, 'warn'],
        [0o600, 0o770, 'warn'],
        [0o600, 0o1777, 'pass'],
        [0o644, 0o755, 'fail'],
      ] as const) {
        await chmod(file, mode);
        await chmod(directory, folder);
        assert.equal(await status(), expected, `${mode.toString(8)} in ${folder.toString(8)}`);
      }
      // Only root can give a file away.
      if (process.geteuid?.() === 0) {
        await chmod(file, 0o600);
        await chown(file, 12_345, 12_345);
        assert.equal(await status(), 'fail');
      }
    } finally {
      await rm(directory, { recursive: true });
    }
  });

  it('of Node.js follows the calendar', async () => {
    const major = Number(process.versions.node.split('.')[0]);
    const end = Date.parse({ 22: '2027-04-30', 24: '2028-04-30', 26: '2029-04-30' }[major] ?? '');
    assert.ok(end > 0, 'another release line: give its end here');
    assert.equal(await own.statusOf('node_release', { now: end - 91 * DAY }), 'pass');
    assert.equal(await own.statusOf('node_release', { now: end - 30 * DAY }), 'warn');
    assert.equal(await own.statusOf('node_release', { now: end + DAY }), 'fail');
  });
});

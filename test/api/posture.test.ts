import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import { auditChain } from '../../server/audit/chain.ts';
import { keyAnchoring } from '../../server/audit/chain-watch.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { openDatabase } from '../../server/db/open-database.ts';
import type { Deps } from '../../server/deps.ts';
import { POSTURE_IDS, type Posture, type PostureId, type PostureStatus } from '../../shared/security.ts';
import { silentLog } from '../support/context.ts';
import { startDashboard, startWithAdmin } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { ofSuite } from '../support/of-suite.ts';
import {
  checkIn,
  checkStatus,
  DAY,
  deploymentWithAdmin,
  diagnosisIn,
  HOUR,
  NOWHERE,
  OPTIONAL_CHECKS,
  postureAt,
  randomKey,
  sandboxCredentials,
} from '../support/platform.ts';

const signed = ({ audit }: Deps): Promise<void> => audit.record({ action: 'login', actor: 'x', target: null });

describe('the posture report', () => {
  const dashboard = ofSuite(startWithAdmin);

  async function report(): Promise<Posture> {
    const response = await dashboard.callAsAdmin('/api/security/posture');
    assert.equal(response.status, 200);
    return (await response.json()) as Posture;
  }

  it('has every check once, in order, and contains no address, port, identity or key', async () => {
    const posture = await report();
    assert.deepEqual(
      posture.checks.map(({ id }) => id),
      POSTURE_IDS.filter((id) => !OPTIONAL_CHECKS.includes(id)),
    );
    const text = JSON.stringify(posture);
    const { port, env } = dashboard;
    assert.doesNotMatch(text, /127\.0\.0\.1|localhost|https?:|@|[0-9a-f]{8}-[0-9a-f]{4}-/);
    for (const secret of [String(port), env.SESSION_SIGNING_KEY ?? '', env.ENCRYPTION_KEY ?? ''])
      assert.ok(!text.includes(secret));
  });

  const CASES: [id: PostureId, env: NodeJS.ProcessEnv, status: PostureStatus][] = [
    ['operator_schemas', { OPERATOR_SCHEMA_IDS: 'operator' }, 'pass'],
    ['operator_schemas', { OPERATOR_SCHEMA_IDS: 'operator', EXTRA_ROLES: 'auditor' }, 'warn'],
    ['operator_schemas', { OPERATOR_SCHEMA_IDS: 'any' }, 'warn'],
    ['operator_schemas', { OPERATOR_SCHEMA_IDS: '' }, 'fail'],
    ['operator_schemas', { IDENTITY_URL: NOWHERE }, 'unknown'],
    ['role_self_service', { OPERATOR_SCHEMA_IDS: 'operator' }, 'unknown'],
    ['oauth_client', { OAUTH_CLIENT_ID: 'nobody' }, 'fail'],
    ['upstream_keys', { IDENTITY_ADMIN_URL: NOWHERE, OAUTH_ADMIN_URL: NOWHERE }, 'unknown'],
    ['upstream_without_key', {}, 'fail'],
  ];
  for (const [id, env, status] of CASES)
    it(`gives the check ${id} the status "${status}" with the environment ${JSON.stringify(env)}`, async () => {
      await eventually(() => checkStatus(id, { env: { ...dashboard.env, ...env } }), status);
    });
});

describe('the posture check', () => {
  const deployment = deploymentWithAdmin();

  it('role_self_service fails while a schema lets people edit the trait role', async () => {
    let properties: object = { email: {}, role: {} };
    const http = createServer((_req, res) =>
      res.end(JSON.stringify([{ id: 'customer', schema: { properties: { traits: { properties } } } }])),
    );
    const server = await listenOnLoopback(http);
    const env = { OPERATOR_SCHEMA_IDS: '', IDENTITY_URL: server.url };
    try {
      await eventually(() => deployment.statusOf('role_self_service', { env }), 'fail');
      properties = { email: {} };
      await eventually(() => deployment.statusOf('role_self_service', { env }), 'unknown');
    } finally {
      await server.close();
    }
  });

  it('second_factor passes only when every operator has a second factor', async () => {
    await deployment.dashboard.signIn('viewer');
    const ids = new Map<string, string>(
      (await deployment.knex('audit_log').where({ action: 'login' }).select('record')).map(({ record }) => {
        const { actor, details } = JSON.parse(record);
        return [details.role, actor];
      }),
    );
    const credentials = sandboxCredentials(deployment.dashboard);
    await eventually(() => deployment.statusOf('second_factor'), 'fail');
    credentials.set(ids.get('admin') ?? '', 'totp', {});
    await eventually(() => deployment.statusOf('second_factor'), 'warn');
    credentials.set(ids.get('viewer') ?? '', 'webauthn', { credentials: [{ id: 'key' }] });
    await eventually(() => deployment.statusOf('second_factor'), 'pass');
    credentials.close();
    await eventually(
      () => deployment.statusOf('second_factor', { env: { AUTH_IDENTITY_ADMIN_URL: NOWHERE } }),
      'unknown',
    );
  });

  it('clock warns of a difference of 20 seconds to the OAuth server, and fails for one of an hour', async () => {
    await eventually(() => deployment.statusOf('clock'), 'pass');
    await eventually(() => deployment.statusOf('clock', { now: Date.now() + 20_000 }), 'warn');
    await eventually(() => deployment.statusOf('clock', { now: Date.now() - 3_600_000 }), 'fail');
  });

  it('upstream_keys passes only while every upstream that requires a key has one that can be decrypted', async () => {
    const KEY = 'key-of-the-upstreams';
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

  async function putSecret(): Promise<void> {
    const response = await deployment.dashboard.call('/api/settings', {
      session: deployment.session,
      json: { key: 'mail.password', value: 'swordfish', encrypted: true },
    });
    assert.ok(response.ok);
  }

  const AGES = [
    [0, 'pass'],
    [366, 'warn'],
    [731, 'fail'],
  ] as const;

  it('session_key_rotation counts the age of the key from the first record signed with it', async () => {
    for (const [days, status] of AGES)
      await eventually(() => deployment.statusOf('session_key_rotation', { now: Date.now() + days * DAY }), status);
    const later = { env: { SESSION_SIGNING_KEY: randomKey() }, now: Date.now() + 731 * DAY };
    await eventually(() => deployment.statusOf('session_key_rotation', later), 'unknown');
    await eventually(() => deployment.statusOf('session_key_rotation', { ...later, afterStart: signed }), 'pass');
  });

  it('encryption_key_rotation counts the age of the key from the first start with it, or from the oldest setting', async () => {
    for (const [days, status] of AGES)
      await eventually(() => deployment.statusOf('encryption_key_rotation', { now: Date.now() + days * DAY }), status);
    // An earlier release did not record the first start.
    await putSecret();
    await deployment.knex('key_sightings').delete();
    await eventually(() => deployment.statusOf('encryption_key_rotation'), 'unknown');
    await deployment.knex('settings').update({ updated_at: new Date(Date.now() - 731 * DAY).toISOString() });
    await eventually(() => deployment.statusOf('encryption_key_rotation'), 'fail');
  });

  it('key_strength fails for a placeholder, and warns of a key with few different bytes', async () => {
    const strong = { SESSION_SIGNING_KEY: randomKey(), ENCRYPTION_KEY: randomBytes(32).toString('hex') };
    const strength = (env: NodeJS.ProcessEnv) => deployment.statusOf('key_strength', { env: { ...strong, ...env } });
    assert.equal(await strength({}), 'pass');
    for (const name of ['SESSION_SIGNING_KEY', 'ENCRYPTION_KEY', 'ENCRYPTION_KEY_PREVIOUS'])
      assert.equal(await strength({ [name]: 'change-me-0123456789-abcdefghijklmnop' }), 'fail', name);
    assert.equal(await strength({ ENCRYPTION_KEY: 'abcabdabeabfacbacdaceacfadbadcadeadf' }), 'warn');
  });

  it('previous_keys recommends removing the previous signing key once the current key has anchored the audit trail', async () => {
    const current = randomKey();
    const previous = deployment.dashboard.env.SESSION_SIGNING_KEY ?? '';
    const now = Date.now() + 9 * HOUR;
    const env: NodeJS.ProcessEnv = {
      ...deployment.dashboard.env,
      SESSION_SIGNING_KEY: current,
      SESSION_SIGNING_KEY_PREVIOUS: previous,
    };
    const actionAfter = async (afterStart?: (deps: Deps) => Promise<void>): Promise<string> =>
      (await postureAt({ env, now, afterStart }))('previous_keys').action;
    assert.match(await actionAfter(signed), /^Keep SESSION_SIGNING_KEY_PREVIOUS for now/);

    const database = openDatabase(parseDatabaseUrl(env.DATABASE_URL ?? ''), { warn: () => {} });
    const chain = auditChain(derivedKeys({ current, previous }, 'audit-trail'));
    const seal = async ({ audit }: Deps): Promise<void> => {
      let elapsed = 0;
      const anchoring = keyAnchoring({ database, chain, audit, log: silentLog, elapsed: () => elapsed });
      await anchoring.look();
      elapsed += HOUR;
      await anchoring.look();
    };
    assert.match(await actionAfter(seal), /^Unset SESSION_SIGNING_KEY_PREVIOUS/);
    await database.close();
    const { SESSION_SIGNING_KEY_PREVIOUS: _, ...alone } = env;
    const diagnosis = await diagnosisIn(alone);
    assert.equal(checkIn(diagnosis, 'audit_chain')?.status, 'pass', 'without the previous key too');
  });

  it('previous_keys warns of a previous encryption key after two days, and fails after three months', async () => {
    const env = { ENCRYPTION_KEY: randomKey(), ENCRYPTION_KEY_PREVIOUS: deployment.dashboard.env.ENCRYPTION_KEY };
    for (const [days, status] of [
      [0, 'pass'],
      [2, 'warn'],
      [91, 'fail'],
    ] as const)
      await eventually(() => deployment.statusOf('previous_keys', { env, now: Date.now() + days * DAY }), status);
  });

  it('secrets_on_previous_key warns while an encrypted setting needs the previous key, and fails without that key', async () => {
    const ENCRYPTION_KEY = randomKey();
    const env = { ENCRYPTION_KEY, ENCRYPTION_KEY_PREVIOUS: deployment.dashboard.env.ENCRYPTION_KEY };
    const status = (change?: Parameters<typeof deployment.statusOf>[1]) =>
      deployment.statusOf('secrets_on_previous_key', change);
    assert.equal(await status(), 'pass');
    await putSecret();
    assert.equal(await status(), 'pass');
    assert.equal(await status({ env }), 'warn');
    assert.equal(await status({ env: { ENCRYPTION_KEY } }), 'fail');
    const overwrite = async ({ vault }: Deps): Promise<void> => {
      await vault.put({ key: 'mail.password', value: 'again' }, 'operator');
    };
    assert.equal(await status({ env, afterStart: overwrite }), 'warn', 'for its earlier version');
    const rekey = async (deps: Deps): Promise<void> => {
      const { rekeyed, versions } = await deps.rekeySettings(() => {});
      assert.deepEqual([rekeyed, versions], [0, 1]);
    };
    assert.equal(await status({ env, afterStart: rekey }), 'pass');
  });
});

import assert from 'node:assert/strict';
import { describeOnDatabases } from '../support/databases.ts';
import {
  ADMIN,
  checkIn,
  emptied,
  examined,
  examinedPlatform,
  PLATFORM_KEY,
  setupRun,
} from '../support/examined-platform.ts';
import { postureAt } from '../support/posture.ts';
import { recordsOf } from '../support/vault.ts';

describeOnDatabases('setup', (databases) => {
  const own = setupRun(databases);

  describe('with operators in a Kratos of their own, who sign in at a Hydra of their own', () => {
    const THEIR_KEY = 'the-key-of-the-operators-ports';
    let theirs: Awaited<ReturnType<typeof examinedPlatform>>;
    beforeEach(async () => {
      theirs = await examinedPlatform(THEIR_KEY);
      await emptied(theirs, THEIR_KEY);
      Object.assign(own.given, {
        AUTH_URL: theirs.sandbox.url('oauth'),
        AUTH_INTERNAL_URL: theirs.services.oauth.url,
        AUTH_IDENTITY_ADMIN_URL: theirs.services.identityAdmin.url,
      });
    });
    afterEach(() => theirs.close());

    it('creates client and administrator there, who signs in', async () => {
      Object.assign(own.given, {
        AUTH_IDENTITY_ADMIN_KEY: THEIR_KEY,
        AUTH_IDENTITY_URL: theirs.services.identity.url,
        AUTH_ADMIN_URL: theirs.services.oauthAdmin.url,
        AUTH_ADMIN_KEY: THEIR_KEY,
      });
      const done = await own.run('--yes');
      assert.equal(done.exitCode, 0, done.lines.join('\n'));
      assert.ok(![THEIR_KEY, PLATFORM_KEY].some((key) => done.lines.join('\n').includes(key)));
      const records = await recordsOf(databases.open(own.databaseUrl));
      assert.deepEqual(
        records.filter(({ action }) => action === 'proxy_write').map(({ target }) => target),
        [
          'AUTH_ADMIN_URL/admin/clients',
          'AUTH_IDENTITY_ADMIN_URL/admin/identities',
          'AUTH_IDENTITY_ADMIN_URL/admin/recovery/code',
        ],
      );
      const found = await examined(own.environment());
      for (const id of ['oauth_client', 'administrators', 'operator_schemas', 'upstream_keys', 'upstream_without_key'])
        assert.equal(checkIn(found, id)?.status, 'pass', id);
      assert.equal(await own.roleSignedInWith(done.lines, own.environment()), 'admin');
      assert.deepEqual(own.wrote(), []);
    });

    it('sends them no stored key, and names what is missing', async () => {
      const run = await own.run('--yes');
      assert.match(own.rowOf(run, 'OAuth 2.0 client'), /^failed .*AUTH_ADMIN_URL is not set/);
      own.given.AUTH_ADMIN_URL = theirs.services.oauthAdmin.url;
      assert.match(
        own.rowOf(await own.run(), 'OAuth 2.0 client'),
        /^failed .*AUTH_ADMIN_URL .* Set AUTH_ADMIN_KEY to its key\.$/,
      );
      const plan = await own.run();
      assert.match(own.rowOf(plan, 'Schema of operators'), /^failed .*AUTH_IDENTITY_URL is not set/);
      assert.match(
        own.rowOf(plan, 'Administrator'),
        /^failed .*AUTH_IDENTITY_ADMIN_URL .* Set AUTH_IDENTITY_ADMIN_KEY to its key\.$/,
      );

      const env = { ...own.environment(), AUTH_ADMIN_URL: own.given.AUTH_ADMIN_URL };
      const found = await examined(env);
      for (const [id, named] of [
        ['administrators', /AUTH_IDENTITY_ADMIN_KEY/],
        ['upstream_keys', /AUTH_IDENTITY_ADMIN_KEY.*AUTH_ADMIN_KEY/],
        ['operator_schemas', /AUTH_IDENTITY_URL/],
      ] as const)
        assert.match(`${checkIn(found, id)?.detail} ${checkIn(found, id)?.action}`, named, id);
      assert.match((await postureAt({ env }))('administrators').action, /AUTH_IDENTITY_ADMIN_KEY/);

      const asked = [theirs.services.identityAdmin, theirs.services.oauthAdmin].flatMap(({ seen }) => seen);
      assert.ok(asked.length > 5);
      assert.deepEqual(
        asked.filter(({ authorization }) => authorization !== undefined),
        [],
      );
    });
  });

  it('creates an administrator with the role in metadata_admin if configured', async () => {
    Object.assign(own.given, { OPERATOR_ROLE_FROM: 'metadata_admin.role', OPERATOR_SCHEMA_IDS: 'customer' });
    const done = await own.run('--yes');
    assert.equal(done.exitCode, 0, done.lines.join('\n'));
    const [{ traits, metadata_admin } = {}] = await own.asAdmin<Record<string, unknown>[]>(
      'identityAdmin',
      'GET',
      '/admin/identities',
    );
    assert.deepEqual([traits, metadata_admin], [{ email: ADMIN }, { role: 'admin' }]);
    const found = await examined(own.environment());
    for (const id of ['administrators', 'operator_schemas', 'role_self_service'])
      assert.equal(checkIn(found, id)?.status, 'pass', id);
    assert.equal(await own.roleSignedInWith(done.lines, own.environment()), 'admin');
    const byTraits = await examined({ ...own.environment(), OPERATOR_ROLE_FROM: '' });
    assert.equal(checkIn(byTraits, 'administrators')?.critical, true);
  });
});

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { auditChain } from '../../server/audit/chain.ts';
import { verifyChain } from '../../server/audit/verify.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import { auditRecords } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import type { ReceivedRequest } from '../support/faulting-upstream.ts';
import {
  ADMIN_PORT_KEY,
  checkIn,
  diagnosisIn,
  emptyPlatform,
  FIRST_ADMIN,
  postureAt,
  setupOfSuite,
  startPlatform,
} from '../support/platform.ts';
import { SERVICE_ARGUMENTS, startNode } from '../support/processes.ts';

async function assertChecksPass(env: NodeJS.ProcessEnv, ...ids: string[]): Promise<void> {
  // A slow machine may exceed the time of a check.
  await eventually(async () => {
    const diagnosis = await diagnosisIn(env);
    return ids.filter((id) => checkIn(diagnosis, id)?.status !== 'pass');
  }, []);
}

describeOnDatabases('setup', (databases) => {
  const setup = setupOfSuite(databases);
  const rowFor = (title: string, result: { lines: string[] }): string => setup.lineOf(result, title);
  const keyArguments = (): string[] =>
    ['identity-admin', 'oauth-admin'].flatMap((name) => ['--key', `${name}=${setup.keyFile}`]);
  const identities = <T>() => setup.callAdmin<T[]>('identityAdmin', 'GET', '/admin/identities');
  /** Clears the recorded requests and the faults of all services. */
  const resetServices = (): void => {
    for (const service of Object.values(setup.platform.services)) service.reset();
  };
  async function apply(): Promise<string[]> {
    const { exitCode, lines } = await setup.run('--yes');
    assert.equal(exitCode, 0, lines.join('\n'));
    return lines;
  }

  it('shows a plan and changes nothing without --yes', async () => {
    setup.variables.EVENTS_PORT = '4318';
    const plan = await setup.run();
    assert.equal(plan.exitCode, 3);
    assert.match(rowFor('Sign-in log', plan), /^ok /);
    for (const title of [
      'Environment file',
      'Database',
      'Key of identity-admin',
      'Key of oauth-admin',
      'OAuth 2.0 client',
      'Administrator',
    ])
      assert.match(rowFor(title, plan), /^to do /, title);
    assert.match(rowFor('Schema of operators', plan), /^ok /);
    assert.equal(existsSync(setup.envFile), false);
    assert.deepEqual(setup.writes(), []);
    const [, file] = /^sqlite:(.+)/.exec(setup.databaseUrl) ?? [];
    if (file !== undefined) assert.equal(existsSync(file), false);
    else {
      const { knex } = databases.open(setup.databaseUrl);
      assert.deepEqual(await knex('information_schema.tables').whereRaw('table_schema = database()'), []);
    }
  });

  it('creates an installation in which the administrator can sign in, and records every write', async () => {
    let discovered = 0;
    setup.platform.services.oauth.before = async ({ path }) => {
      // Longer than sign-ins wait.
      if (path.endsWith('/openid-configuration')) discovered += await sleep(6_000, 1);
      return undefined;
    };
    const lines = await apply();
    assert.equal(discovered, 1);
    resetServices();
    assert.equal(statSync(setup.envFile).mode & 0o777, 0o600);
    const env = setup.environment();
    assert.equal(env.HOSTNAME, undefined);
    for (const secret of [env.SESSION_SIGNING_KEY, env.ENCRYPTION_KEY, ADMIN_PORT_KEY])
      assert.ok(secret && !lines.join('\n').includes(secret));

    const database = databases.open(setup.databaseUrl);
    const records = await auditRecords(database);
    assert.deepEqual(
      records.map(({ action, actor, target }) => [action, actor, target]),
      [
        ['setting_write', 'command-line', 'upstream.identity-admin.api_key'],
        ['setting_write', 'command-line', 'upstream.oauth-admin.api_key'],
        ['proxy_write', 'command-line', '/api/oauth-admin/admin/clients'],
        ['proxy_write', 'command-line', '/api/identity-admin/admin/identities'],
        ['proxy_write', 'command-line', '/api/identity-admin/admin/recovery/code'],
      ],
    );
    assert.ok(!JSON.stringify(records).includes(FIRST_ADMIN));
    const keys = derivedKeys(parseConfig(env).sessionKeys, 'audit-trail');
    assert.equal((await verifyChain(database, auditChain(keys))).ok, true);

    await assertChecksPass(env, 'oauth_client', 'administrators', 'operator_schemas', 'upstream_keys', 'migrations');
    assert.equal(await setup.roleAfterSignIn(lines, env), 'admin');

    resetServices();
    await apply();
    assert.deepEqual(setup.writes(), []);
    assert.deepEqual(setup.environment(), env);
    assert.match((await setup.run()).lines.at(-1) ?? '', /^Nothing to do\.$/);
  });

  it('shows what differs after a change of the environment, and changes only that', async () => {
    await apply();
    setup.variables.BASE_URL = 'http://localhost:9999';
    const plan = await setup.run();
    assert.equal(plan.exitCode, 3);
    for (const difference of [
      `BASE_URL: ${setup.baseUrl} → http://localhost:9999`,
      `redirect_uris: ["${setup.baseUrl}/api/auth/callback"] → ["http://localhost:9999/api/auth/callback"]`,
    ])
      assert.ok(plan.lines.some((line) => line.includes(difference)));
    const before = setup.environment();
    await apply();
    const client = await setup.callAdmin<Record<string, unknown>>('oauthAdmin', 'GET', '/admin/clients/dashboard');
    assert.deepEqual(client['redirect_uris'], ['http://localhost:9999/api/auth/callback']);
    assert.deepEqual({ ...setup.environment() }, { ...before, BASE_URL: 'http://localhost:9999' });
    const records = JSON.stringify(await auditRecords(databases.open(setup.databaseUrl)));
    assert.match(records, /"PUT".+?"changed":\["\/redirect_uris","\/post_logout_redirect_uris",(?:"\/\w+",?){18}\]/);
  });

  it('plans to correct an OAuth client with signed userinfo, which the doctor reports as critical', async () => {
    await apply();
    const client = await setup.callAdmin<object>('oauthAdmin', 'GET', '/admin/clients/dashboard');
    const body = JSON.stringify({ ...client, userinfo_signed_response_alg: 'RS256' });
    setup.platform.services.oauthAdmin.before = ({ path }) =>
      path.startsWith('/admin/clients/') ? { status: 200, body } : undefined;
    assert.equal(checkIn(await diagnosisIn(setup.environment()), 'oauth_client')?.critical, true);
    const plan = await setup.run();
    assert.equal(plan.exitCode, 3);
    assert.ok(plan.lines.some((line) => line.includes('userinfo_signed_response_alg: "RS256" → "none"')));
  });

  it('looks for any active administrator without --admin', async () => {
    const row = async (): Promise<string> => rowFor('Administrator', await setup.run());
    setup.admin = '';
    assert.match(await row(), /^by hand .* no active identity with the role admin/);
    setup.admin = FIRST_ADMIN;
    await apply();
    setup.admin = '';
    assert.match(await row(), /^ok .*There is an active administrator\.$/);
    setup.platform.services.identityAdmin.before = () => 'silence';
    setup.variables.PROXY_TIMEOUT_MS = '1000';
    assert.match(await row(), /^failed .*The API at IDENTITY_ADMIN_URL does not respond\./);
  });

  it('stops at a service that rejects the key or does not respond, and says what to correct', async () => {
    writeFileSync(setup.keyFile, 'wrong');
    assert.match(
      rowFor('OAuth 2.0 client', await setup.run('--yes')),
      /^failed .*OAUTH_ADMIN_URL rejects the key, or requires one\. Give the right one with --key oauth-admin=FILE\.$/,
    );
    writeFileSync(setup.keyFile, ADMIN_PORT_KEY);
    setup.variables.OAUTH_ADMIN_URL = 'http://127.0.0.1:9';
    const stopped = await setup.run('--yes');
    assert.match(
      rowFor('OAuth 2.0 client', stopped),
      /^failed .*OAUTH_ADMIN_URL does not respond\. Correct OAUTH_ADMIN_URL/,
    );
    assert.equal(stopped.exitCode, 1);
    assert.ok(!stopped.lines.some((line) => line.includes('Administrator: ')));
    setup.variables.OAUTH_ADMIN_URL = setup.platform.services.oauthAdmin.url;
    setup.platform.services.oauthAdmin.before = () => ({ status: 404, body: '<!doctype html><title>Gateway</title>' });
    assert.match(
      rowFor('OAuth 2.0 client', await setup.run()),
      /^failed .*OAUTH_ADMIN_URL responds with the status 404/,
    );
    assert.ok(!setup.writes().some((line) => line.includes('identities')));
  });

  it('never changes the role of an identity', async () => {
    await apply();
    const [{ id } = { id: '' }] = await identities<{ id: string }>();
    await fetch(`${setup.platform.sandbox.url('identityAdmin')}/admin/identities/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${ADMIN_PORT_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify([{ op: 'replace', path: '/traits/role', value: 'viewer' }]),
    });
    resetServices();
    const stopped = await setup.run('--yes');
    assert.equal(stopped.exitCode, 1);
    assert.match(rowFor('Administrator', stopped), /^by hand .*is not an active administrator/);
    assert.deepEqual(setup.writes(), []);
  });

  it('continues after it was killed at any write to Kratos or Hydra, and creates one administrator', async () => {
    const env = Object.entries(setup.variables).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const args = ['setup', '--file', setup.envFile, '--admin', FIRST_ADMIN, '--yes', ...keyArguments()];
    for (const path of [/^\/admin\/clients/, /^\/admin\/identities/, /^\/admin\/recovery/])
      for (const arrives of [false, true]) {
        await setup.empty();
        const running = startNode([...SERVICE_ARGUMENTS, ...args], Object.fromEntries(env));
        const isKilled = (request: ReceivedRequest): boolean =>
          request.method === 'POST' && path.test(request.path) && process.kill(running.pid, 'SIGKILL');
        for (const service of Object.values(setup.platform.services)) {
          if (arrives) service.after = (request) => (isKilled(request) ? 'lost' : undefined);
          else service.before = (request) => (isKilled(request) ? 'silence' : undefined);
        }
        assert.equal(await running.ended(), null, running.output());
        resetServices();
        await apply();
        assert.equal((await identities()).length, 1, `${path} ${arrives}`);
      }
  });

  it('creates no recovery link if Kratos returns an identity other than the requested one', async () => {
    await apply();
    resetServices();
    const id = 'b9a3a5b6-8a9f-4d39-9a52-5d2b7f0f1c11';
    const traits = { email: 'chief@example.com', role: 'admin' };
    const body = JSON.stringify([{ id, schema_id: 'operator', state: 'active', traits }]);
    setup.platform.services.identityAdmin.before = ({ path }) =>
      path.includes('credentials_identifier') ? { status: 200, body } : undefined;
    const stopped = await setup.run('--yes');
    assert.equal(stopped.exitCode, 1);
    assert.match(rowFor('Administrator', stopped), /^failed .*a different identity/);
    assert.deepEqual(setup.writes(), []);
  });

  it('never replaces a key in its file, except by a new key together with the previous one', async () => {
    await apply();
    const text = readFileSync(setup.envFile, 'utf8');
    setup.variables.ENCRYPTION_KEY = 'another-encryption-key-0123456789-abcdefghijkl';
    for (const args of [[], ['--yes']])
      await assert.rejects(setup.run(...args), /^Error: ENCRYPTION_KEY differs from the one in .*customer\.env/);
    assert.equal(readFileSync(setup.envFile, 'utf8'), text);
    setup.variables.ENCRYPTION_KEY_PREVIOUS = setup.environment().ENCRYPTION_KEY;
    await apply();
    assert.equal(setup.environment().ENCRYPTION_KEY, setup.variables.ENCRYPTION_KEY);
  });

  it('writes an env file that Node reads without loss, and keeps its variables when it runs again without them', async () => {
    Object.assign(setup.variables, { ENVIRONMENT_LABEL: 'it’s "new"', ALLOWED_NETWORKS: '10.0.0.0/8, 127.0.0.0/8' });
    await apply();
    const [variables, text] = [setup.environment(), readFileSync(setup.envFile, 'utf8')];
    const names = Object.keys(variables);
    const program = `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name])))`;
    const args = [`--env-file=${setup.envFile}`, '-e', program];
    const values = JSON.parse(execFileSync(process.execPath, args, { env: {}, encoding: 'utf8' }));
    assert.deepEqual(values, Object.values(variables));
    assert.equal(variables.ENVIRONMENT_LABEL, 'it’s "new"');
    for (const name of names) delete setup.variables[name];
    await setup.run('--yes');
    assert.equal(readFileSync(setup.envFile, 'utf8'), text);
  });

  it('rejects a file that others can read, or that is a symbolic link', async () => {
    writeFileSync(setup.envFile, 'PORT=1\n');
    chmodSync(setup.envFile, 0o644);
    await assert.rejects(setup.run('--yes'), /Others can read .*: chmod 600 /);
    rmSync(setup.envFile);
    symlinkSync(setup.keyFile, setup.envFile);
    await assert.rejects(setup.run('--yes'), /is not a file/);
  });

  it('creates an administrator with the role in metadata_admin if OPERATOR_ROLE_FROM names that member', async () => {
    Object.assign(setup.variables, { OPERATOR_ROLE_FROM: 'metadata_admin.role', OPERATOR_SCHEMA_IDS: 'customer' });
    const lines = await apply();
    const [{ traits, metadata_admin } = {}] = await identities<Record<string, unknown>>();
    assert.deepEqual([traits, metadata_admin], [{ email: FIRST_ADMIN }, { role: 'admin' }]);
    const env = setup.environment();
    await assertChecksPass(env, 'administrators', 'operator_schemas', 'role_self_service');
    assert.equal(await setup.roleAfterSignIn(lines, env), 'admin');
    const byTraits = await diagnosisIn({ ...env, OPERATOR_ROLE_FROM: '' });
    assert.equal(checkIn(byTraits, 'administrators')?.critical, true);
  });

  describe('for operators in another Kratos and Hydra', () => {
    const OPERATORS_KEY = 'the-key-of-the-operators-ports';
    let operators: Awaited<ReturnType<typeof startPlatform>>;
    beforeEach(async () => {
      operators = await startPlatform(OPERATORS_KEY);
      await emptyPlatform(operators, OPERATORS_KEY);
      Object.assign(setup.variables, {
        AUTH_URL: operators.sandbox.url('oauth'),
        AUTH_INTERNAL_URL: operators.services.oauth.url,
        AUTH_IDENTITY_ADMIN_URL: operators.services.identityAdmin.url,
      });
    });
    afterEach(() => operators.close());

    it('creates the client and the administrator there, who can sign in', async () => {
      Object.assign(setup.variables, {
        AUTH_IDENTITY_ADMIN_KEY: OPERATORS_KEY,
        AUTH_IDENTITY_URL: operators.services.identity.url,
        AUTH_ADMIN_URL: operators.services.oauthAdmin.url,
        AUTH_ADMIN_KEY: OPERATORS_KEY,
      });
      const lines = await apply();
      assert.ok(![OPERATORS_KEY, ADMIN_PORT_KEY].some((key) => lines.join('\n').includes(key)));
      const records = await auditRecords(databases.open(setup.databaseUrl));
      assert.deepEqual(
        records.filter(({ action }) => action === 'proxy_write').map(({ target }) => target),
        [
          'AUTH_ADMIN_URL/admin/clients',
          'AUTH_IDENTITY_ADMIN_URL/admin/identities',
          'AUTH_IDENTITY_ADMIN_URL/admin/recovery/code',
        ],
      );
      const env = setup.environment();
      const keyChecks = ['upstream_keys', 'upstream_without_key'];
      await assertChecksPass(env, 'oauth_client', 'administrators', 'operator_schemas', ...keyChecks);
      assert.equal(await setup.roleAfterSignIn(lines, env), 'admin');
      assert.deepEqual(setup.writes(), []);
    });

    it('sends them no stored key, and names the missing variables, as doctor and posture do', async () => {
      assert.match(rowFor('OAuth 2.0 client', await setup.run('--yes')), /^failed .*AUTH_ADMIN_URL is not set/);
      setup.variables.AUTH_ADMIN_URL = operators.services.oauthAdmin.url;
      const plan = await setup.run();
      for (const [title, row] of [
        ['OAuth 2.0 client', /^failed .*AUTH_ADMIN_URL .* Set AUTH_ADMIN_KEY to its key\.$/],
        ['Schema of operators', /^failed .*AUTH_IDENTITY_URL is not set/],
        ['Administrator', /^failed .*AUTH_IDENTITY_ADMIN_URL .* Set AUTH_IDENTITY_ADMIN_KEY to its key\.$/],
      ] as const)
        assert.match(rowFor(title, plan), row);

      const env = { ...setup.environment(), AUTH_ADMIN_URL: setup.variables.AUTH_ADMIN_URL };
      const diagnosis = await diagnosisIn(env);
      for (const [id, variables] of [
        ['administrators', /AUTH_IDENTITY_ADMIN_KEY/],
        ['upstream_keys', /AUTH_IDENTITY_ADMIN_KEY.*AUTH_ADMIN_KEY/],
        ['operator_schemas', /AUTH_IDENTITY_URL/],
      ] as const) {
        const { detail, action } = checkIn(diagnosis, id) ?? {};
        assert.match(`${detail} ${action}`, variables, id);
      }
      assert.match((await postureAt({ env }))('administrators').action, /AUTH_IDENTITY_ADMIN_KEY/);

      const requests = [operators.services.identityAdmin, operators.services.oauthAdmin].flatMap(
        ({ requests }) => requests,
      );
      assert.ok(requests.length > 5);
      assert.ok(requests.every(({ authorization }) => authorization === undefined));
    });
  });

  if (databases.client === 'mysql')
    it('writes the SQL that creates the database and its user, and replaces no other file', async () => {
      const { knex } = databases.open(setup.databaseUrl);
      const name = `setup_${process.pid}`;
      const file = join(setup.folder, 'customer.create-database.sql');
      const authority = /^mysql:\/\/[^@/]*@([^/]*)\/[^?]*/;
      setup.variables.DATABASE_URL = setup.databaseUrl.replace(authority, `mysql://${name}:p%27w%2F%5C@$1/${name}`);
      const hosts = (): Promise<string[]> => knex('mysql.user').where({ User: name }).pluck('Host');
      const runSql = async (): Promise<void> => {
        assert.match(rowFor('Database', await setup.run('--yes')), /^by hand /);
        assert.equal(statSync(file).mode & 0o777, 0o600);
        const sql = readFileSync(file, 'utf8').replace(/^--.*$/gm, '');
        rmSync(file);
        for (const statement of sql.split(';\n').filter((part) => part.trim() !== ''))
          await knex.raw(statement.replaceAll('?', '\\?'));
      };
      try {
        writeFileSync(file, 'another file', { mode: 0o600 });
        assert.match(
          rowFor('Database', await setup.run('--yes')),
          /^failed .* exists with other contents: move it away/,
        );
        assert.equal(readFileSync(file, 'utf8'), 'another file');
        rmSync(file);
        await runSql();
        const [host = '', ...others] = await hosts();
        assert.deepEqual([host === '%', others], [false, []]);
        for (const change of [
          `alter user ${name}@'${host}' identified by 'another'`,
          `revoke all privileges, grant option from ${name}@'${host}'`,
          `drop database ${name}`,
        ]) {
          await knex.raw(change);
          await runSql();
        }
        assert.deepEqual(await hosts(), [host]);
        await apply();
        await assertChecksPass(setup.environment(), 'database_rights');
      } finally {
        await knex.raw(`drop database if exists ${name}`);
        for (const host of await hosts()) await knex.raw(`drop user ${name}@'${host}'`);
      }
    });
});

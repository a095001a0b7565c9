import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { auditChain } from '../../server/audit/chain.ts';
import { verifyChain } from '../../server/audit/verify.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import { parseSetupArguments, setUp } from '../../server/setup/setup.ts';
import { silentLog } from '../support/context.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { ADMIN, checkIn, examined, PLATFORM_KEY, setupRun } from '../support/examined-platform.ts';
import type { SeenRequest } from '../support/faulting-upstream.ts';
import { SERVICE, startNode } from '../support/processes.ts';
import { recordsOf } from '../support/vault.ts';

const OTHER = {
  id: 'b9a3a5b6-8a9f-4d39-9a52-5d2b7f0f1c11',
  schema_id: 'operator',
  state: 'active',
  traits: { email: 'chief@example.com', role: 'admin' },
};

describeOnDatabases('setup', (databases) => {
  const own = setupRun(databases);
  const administrators = () => own.asAdmin<unknown[]>('identityAdmin', 'GET', '/admin/identities');

  it('shows a plan and changes nothing', async () => {
    const plan = await own.run();
    assert.equal(plan.exitCode, 3);
    for (const title of [
      'Environment file',
      'Database',
      'Key of identity-admin',
      'Key of oauth-admin',
      'OAuth 2.0 client',
      'Administrator',
    ])
      assert.match(own.rowOf(plan, title), /^to do /, title);
    assert.match(own.rowOf(plan, 'Schema of operators'), /^ok /);
    assert.equal(existsSync(own.envFile), false);
    assert.deepEqual(own.wrote(), []);
    if (own.databaseUrl.startsWith('sqlite:')) assert.equal(existsSync(own.databaseUrl.slice('sqlite:'.length)), false);
    else
      assert.deepEqual(
        await databases.open(own.databaseUrl).knex('information_schema.tables').whereRaw('table_schema = database()'),
        [],
      );
  });

  it('creates an installation to which the administrator can sign in, with every write in the audit trail', async () => {
    const done = await own.run('--yes');
    assert.equal(done.exitCode, 0, done.lines.join('\n'));
    assert.equal(statSync(own.envFile).mode & 0o777, 0o600);
    const env = own.environment();
    assert.equal(env.HOSTNAME, undefined);
    const text = done.lines.join('\n');
    for (const secret of [env.SESSION_SIGNING_KEY, env.ENCRYPTION_KEY, PLATFORM_KEY])
      assert.ok(secret && !text.includes(secret));

    const config = parseConfig(env);
    const database = databases.open(own.databaseUrl);
    const records = (await recordsOf(database)).map(({ action, actor, target }) => [action, actor, target]);
    assert.deepEqual(records, [
      ['setting_write', 'command-line', 'upstream.identity-admin.api_key'],
      ['setting_write', 'command-line', 'upstream.oauth-admin.api_key'],
      ['proxy_write', 'command-line', '/api/oauth-admin/admin/clients'],
      ['proxy_write', 'command-line', '/api/identity-admin/admin/identities'],
      ['proxy_write', 'command-line', '/api/identity-admin/admin/recovery/code'],
    ]);
    const verdict = await verifyChain(database, auditChain(derivedKeys(config.sessionKeys, 'audit-trail')));
    assert.equal(verdict.ok, true);
    assert.ok(!JSON.stringify(await recordsOf(database)).includes(ADMIN));

    const found = await examined(env);
    for (const id of ['oauth_client', 'administrators', 'operator_schemas', 'upstream_keys', 'migrations'])
      assert.equal(checkIn(found, id)?.status, 'pass', id);

    assert.equal(await own.roleSignedInWith(done.lines, env), 'admin');

    own.platform.services.oauthAdmin.calm();
    own.platform.services.identityAdmin.calm();
    const again = await own.run('--yes');
    assert.equal(again.exitCode, 0);
    assert.deepEqual(own.wrote(), []);
    assert.deepEqual(own.environment(), env);
    assert.match((await own.run()).lines.at(-1) ?? '', /^Nothing to do\.$/);
  });

  it('shows what differs after a change, and changes only that', async () => {
    await own.run('--yes');
    own.given.BASE_URL = 'http://localhost:9999';
    const plan = await own.run();
    assert.equal(plan.exitCode, 3);
    assert.ok(plan.lines.some((line) => line.includes(`BASE_URL: ${own.baseUrl} → http://localhost:9999`)));
    assert.ok(
      plan.lines.some((line) =>
        line.includes(
          `redirect_uris: ["${own.baseUrl}/api/auth/callback"] → ["http://localhost:9999/api/auth/callback"]`,
        ),
      ),
    );
    const before = own.environment();
    assert.equal((await own.run('--yes')).exitCode, 0);
    const client = await own.asAdmin<Record<string, unknown>>('oauthAdmin', 'GET', '/admin/clients/dashboard');
    assert.deepEqual(client['redirect_uris'], ['http://localhost:9999/api/auth/callback']);
    assert.deepEqual({ ...own.environment() }, { ...before, BASE_URL: 'http://localhost:9999' });
    const records = JSON.stringify(await recordsOf(databases.open(own.databaseUrl)));
    assert.match(records, /"PUT".+?"changed":\["\/redirect_uris","\/post_logout_redirect_uris",(?:"\/\w+",?){18}\]/);
  });

  it('corrects a client whose userinfo is signed, as the doctor requires', async () => {
    await own.run('--yes');
    const client = await own.asAdmin<object>('oauthAdmin', 'GET', '/admin/clients/dashboard');
    const body = JSON.stringify({ ...client, userinfo_signed_response_alg: 'RS256' });
    own.platform.services.oauthAdmin.before = ({ path }) =>
      path.startsWith('/admin/clients/') ? { status: 200, body } : undefined;
    assert.equal(checkIn(await examined(own.environment()), 'oauth_client')?.critical, true);
    const plan = await own.run();
    assert.equal(plan.exitCode, 3);
    assert.ok(plan.lines.some((line) => line.includes('userinfo_signed_response_alg: "RS256" → "none"')));
  });

  it('looks for any administrator where none is named', async () => {
    const row = async (): Promise<string> => {
      const keys = ['identity-admin', 'oauth-admin'].flatMap((name) => ['--key', `${name}=${own.keyFile}`]);
      const request = parseSetupArguments(['--file', own.envFile, ...keys]) ?? assert.fail();
      const lines: string[] = [];
      const print = (line: string): void => void lines.push(line);
      await setUp(own.given, request, { log: silentLog, now: Date.now, print });
      return own.rowOf({ lines }, 'Administrator');
    };
    assert.match(await row(), /^by hand .* no active identity with the role admin/);
    await own.run('--yes');
    assert.match(await row(), /^ok .*There is an active administrator\.$/);
    own.platform.services.identityAdmin.before = () => 'silence';
    own.given.PROXY_TIMEOUT_MS = '1000';
    assert.match(await row(), /^failed .*The API at IDENTITY_ADMIN_URL does not respond\./);
  });

  it('says in one sentence what a service does wrong, and stops there', async () => {
    writeFileSync(own.keyFile, 'wrong');
    const refused = await own.run('--yes');
    assert.match(
      own.rowOf(refused, 'OAuth 2.0 client'),
      /^failed .*OAUTH_ADMIN_URL rejects the key, or requires one\. Give the right one with --key oauth-admin=FILE\.$/,
    );
    writeFileSync(own.keyFile, PLATFORM_KEY);
    own.given.OAUTH_ADMIN_URL = 'http://127.0.0.1:9';
    const away = await own.run('--yes');
    assert.match(
      own.rowOf(away, 'OAuth 2.0 client'),
      /^failed .*OAUTH_ADMIN_URL does not respond\. Correct OAUTH_ADMIN_URL/,
    );
    assert.equal(away.exitCode, 1);
    assert.equal(away.lines.filter((line) => line.includes('Administrator: ')).length, 0);
    assert.deepEqual(
      own.wrote().filter((line) => line.includes('identities')),
      [],
    );
  });

  it('never changes a person’s role', async () => {
    await own.run('--yes');
    const [{ id } = { id: '' }] = await own.asAdmin<{ id: string }[]>('identityAdmin', 'GET', '/admin/identities');
    await fetch(`${own.platform.sandbox.url('identityAdmin')}/admin/identities/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify([{ op: 'replace', path: '/traits/role', value: 'viewer' }]),
    });
    for (const service of Object.values(own.platform.services)) service.calm();
    const found = await own.run('--yes');
    assert.equal(found.exitCode, 1);
    assert.match(own.rowOf(found, 'Administrator'), /^by hand .*is not an active administrator/);
    assert.deepEqual(own.wrote(), []);
  });

  it('continues where it was after being killed at any write', async () => {
    const given = Object.entries(own.given).filter((entry): entry is [string, string] => entry[1] !== undefined);
    const args = ['setup', '--file', own.envFile, '--admin', ADMIN, '--yes'];
    for (const name of ['identity-admin', 'oauth-admin']) args.push('--key', `${name}=${own.keyFile}`);
    // Node 20 reads this option, too, and wants the file.
    writeFileSync(own.envFile, '', { mode: 0o600 });
    for (const path of [/^\/admin\/clients/, /^\/admin\/identities/, /^\/admin\/recovery/])
      for (const arrives of [false, true]) {
        await own.empty();
        const running = startNode([...SERVICE, ...args], Object.fromEntries(given));
        const isDue = ({ method, path: asked }: SeenRequest): boolean =>
          method === 'POST' && path.test(asked) && process.kill(running.pid, 'SIGKILL');
        for (const service of Object.values(own.platform.services)) {
          if (arrives) service.after = (asked) => (isDue(asked) ? 'lost' : undefined);
          else service.before = (asked) => (isDue(asked) ? 'silence' : undefined);
        }
        assert.equal(await running.ended(), null, running.output());
        for (const service of Object.values(own.platform.services)) service.calm();
        const again = await own.run('--yes');
        assert.equal(again.exitCode, 0, `${path} ${arrives}: ${again.lines.join('\n')}`);
        assert.equal((await administrators()).length, 1);
      }
  });

  it('creates a link only for the requested person', async () => {
    await own.run('--yes');
    for (const service of Object.values(own.platform.services)) service.calm();
    own.platform.services.identityAdmin.before = ({ path }) =>
      path.includes('credentials_identifier') ? { status: 200, body: JSON.stringify([OTHER]) } : undefined;
    const found = await own.run('--yes');
    assert.equal(found.exitCode, 1);
    assert.match(own.rowOf(found, 'Administrator'), /^failed .*a different identity/);
    assert.deepEqual(own.wrote(), []);
  });

  it('never replaces a key of the file', async () => {
    await own.run('--yes');
    const text = readFileSync(own.envFile, 'utf8');
    own.given.ENCRYPTION_KEY = 'another-encryption-key-0123456789-abcdefghijkl';
    for (const arguments_ of [[], ['--yes']])
      await assert.rejects(own.run(...arguments_), /^Error: ENCRYPTION_KEY differs from the one in .*customer\.env/);
    assert.equal(readFileSync(own.envFile, 'utf8'), text);
    own.given.ENCRYPTION_KEY_PREVIOUS = own.environment().ENCRYPTION_KEY;
    assert.equal((await own.run('--yes')).exitCode, 0);
    assert.equal(own.environment().ENCRYPTION_KEY, own.given.ENCRYPTION_KEY);
  });

  it('keeps the keys of its file, which Node reads back unchanged', async () => {
    Object.assign(own.given, { ENVIRONMENT_LABEL: 'it’s "new"', ALLOWED_NETWORKS: '10.0.0.0/8, 127.0.0.0/8' });
    await own.run('--yes');
    const [before, text] = [own.environment(), readFileSync(own.envFile, 'utf8')];
    const names = Object.keys(before);
    const program = `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name])))`;
    const read = execFileSync(process.execPath, [`--env-file=${own.envFile}`, '-e', program], {
      env: {},
      encoding: 'utf8',
    });
    assert.deepEqual(
      JSON.parse(read),
      names.map((name) => before[name]),
    );
    assert.equal(before.ENVIRONMENT_LABEL, 'it’s "new"');
    for (const name of names) delete own.given[name];
    await own.run('--yes');
    assert.equal(readFileSync(own.envFile, 'utf8'), text);
  });

  it('refuses a file that others can read, or that is not a file', async () => {
    writeFileSync(own.envFile, 'PORT=1\n');
    chmodSync(own.envFile, 0o644);
    await assert.rejects(own.run('--yes'), /Others can read .*: chmod 600 /);
    rmSync(own.envFile);
    symlinkSync(own.keyFile, own.envFile);
    await assert.rejects(own.run('--yes'), /is not a file/);
  });

  if (databases.client === 'mysql')
    it('writes the SQL for what is missing, with or without the user, and replaces no other file', async () => {
      const server = databases.open(own.databaseUrl);
      const name = `setup_${process.pid}`;
      const file = join(own.folder, 'customer.create-database.sql');
      own.given.DATABASE_URL = own.databaseUrl.replace(
        /^mysql:\/\/[^@/]*@([^/]*)\/[^?]*/,
        `mysql://${name}:p%27w%2F%5C@$1/${name}`,
      );
      const hosts = (): Promise<string[]> => server.knex('mysql.user').where({ User: name }).pluck('Host');
      const runSql = async (): Promise<void> => {
        const stopped = await own.run('--yes');
        assert.match(own.rowOf(stopped, 'Database'), /^by hand /);
        assert.equal(statSync(file).mode & 0o777, 0o600);
        const sql = readFileSync(file, 'utf8').replace(/^--.*$/gm, '');
        rmSync(file);
        for (const statement of sql.split(';\n').filter((part) => part.trim() !== ''))
          await server.knex.raw(statement.replaceAll('?', '\\?'));
      };
      try {
        writeFileSync(file, 'of somebody else', { mode: 0o600 });
        assert.match(
          own.rowOf(await own.run('--yes'), 'Database'),
          /^failed .* exists with other contents: move it away/,
        );
        assert.equal(readFileSync(file, 'utf8'), 'of somebody else');
        rmSync(file);
        await runSql();
        const [host = '', ...others] = await hosts();
        assert.deepEqual([host === '%', others], [false, []]);
        for (const change of [
          `alter user ${name}@'${host}' identified by 'another'`,
          `revoke all privileges, grant option from ${name}@'${host}'`,
          `drop database ${name}`,
        ]) {
          await server.knex.raw(change);
          await runSql();
        }
        assert.deepEqual(await hosts(), [host]);
        assert.equal((await own.run('--yes')).exitCode, 0);
        assert.equal(checkIn(await examined(own.environment()), 'database_rights')?.status, 'pass');
      } finally {
        await server.knex.raw(`drop database if exists ${name}`);
        for (const host of await hosts()) await server.knex.raw(`drop user ${name}@'${host}'`);
      }
    });
});

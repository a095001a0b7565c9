import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { auditChain } from '../../server/audit/audit-chain.ts';
import { verifyChain } from '../../server/audit/verify-chain.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import { startService } from '../../server/process/service.ts';
import { setUp } from '../../server/setup/setup.ts';
import { parseSetupArguments } from '../../server/setup/setup-arguments.ts';
import { describeOnDatabases } from '../support/databases.ts';
import {
  checkIn,
  type ExaminedPlatform,
  examined,
  examinedPlatform,
  PLATFORM_KEY,
} from '../support/examined-platform.ts';
import { freePort } from '../support/free-port.ts';
import { CookieJar, signInUpToCallback, visit } from '../support/http-sign-in.ts';
import { silentLog } from '../support/silent-log.ts';
import { recordsOf } from '../support/vault.ts';

const ADMIN = 'first@example.com';

describeOnDatabases('setup', (databases) => {
  let platform: ExaminedPlatform;
  let folder: string;
  let given: NodeJS.ProcessEnv;
  let envFile: string;
  let keyFile: string;
  let baseUrl: string;
  let databaseUrl: string;

  beforeEach(async () => {
    platform = await examinedPlatform();
    await empty();
    folder = mkdtempSync(join(tmpdir(), 'setup-'));
    envFile = join(folder, 'customer.env');
    keyFile = join(folder, 'key.txt');
    writeFileSync(keyFile, `${PLATFORM_KEY}\n`);
    const port = await freePort();
    baseUrl = `http://localhost:${port}`;
    databaseUrl = await databases.create();
    const { SESSION_SIGNING_KEY, ENCRYPTION_KEY, OAUTH_CLIENT_ID, OPERATOR_SCHEMA_IDS, ...addresses } =
      platform.env(databaseUrl);
    given = { ...addresses, BASE_URL: baseUrl, PORT: String(port), HOSTNAME: 'not one of ours' };
  });
  afterEach(async () => {
    await platform.close();
    rmSync(folder, { recursive: true });
  });

  /** The sandbox's own operators and the client of a dashboard are not there yet. */
  async function empty(): Promise<void> {
    for (const { id } of await asAdmin<{ id: string }[]>('identityAdmin', 'GET', '/admin/identities'))
      await asAdmin('identityAdmin', 'DELETE', `/admin/identities/${id}`);
    await asAdmin('oauthAdmin', 'DELETE', '/admin/clients/dashboard');
    for (const service of Object.values(platform.services)) service.calm();
  }
  async function asAdmin<T>(service: 'identityAdmin' | 'oauthAdmin', method: string, path: string): Promise<T> {
    const answer = await fetch(platform.sandbox.url(service) + path, {
      method,
      headers: { authorization: `Bearer ${PLATFORM_KEY}` },
    });
    const text = await answer.text();
    return (text === '' ? undefined : JSON.parse(text)) as T;
  }

  async function run(...args: string[]): Promise<{ exitCode: number; lines: string[] }> {
    const lines: string[] = [];
    const keys = ['--key', `identity-admin=${keyFile}`, '--key', `oauth-admin=${keyFile}`];
    const request = parseSetupArguments(['--env-file', envFile, '--admin', ADMIN, ...keys, ...args]);
    assert.ok(request);
    const exitCode = await setUp(given, request, {
      log: silentLog,
      now: Date.now,
      print: (line) => void lines.push(line),
    });
    return { exitCode, lines };
  }
  const wrote = (): string[] =>
    Object.values(platform.services).flatMap(({ seen }) =>
      seen.filter(({ method }) => method !== 'GET').map(({ method, path }) => `${method} ${path}`),
    );
  const rowOf = ({ lines }: { lines: string[] }, title: string): string =>
    lines.find((line) => line.includes(` ${title}: `)) ?? assert.fail(`no row ${title}`);
  const environment = () => parseEnv(readFileSync(envFile, 'utf8')) as Record<string, string>;

  it('shows a plan and changes nothing', async () => {
    const plan = await run();
    assert.equal(plan.exitCode, 3);
    for (const title of [
      'Environment file',
      'Database',
      'Key of identity-admin',
      'Key of oauth-admin',
      'OAuth 2.0 client',
      'Administrator',
    ])
      assert.match(rowOf(plan, title), /^to do /, title);
    assert.match(rowOf(plan, 'Schema of operators'), /^ok /);
    assert.equal(existsSync(envFile), false);
    assert.deepEqual(wrote(), []);
    if (databaseUrl.startsWith('sqlite:')) assert.equal(existsSync(databaseUrl.slice('sqlite:'.length)), false);
    else
      assert.deepEqual(
        await databases.open(databaseUrl).knex('information_schema.tables').whereRaw('table_schema = database()'),
        [],
      );
  });

  it('makes an installation into which the administrator signs in, with every act in the audit trail', async () => {
    const done = await run('--yes');
    assert.equal(done.exitCode, 0, done.lines.join('\n'));
    assert.equal(statSync(envFile).mode & 0o777, 0o600);
    const env = environment();
    assert.equal(env.HOSTNAME, undefined);
    const text = done.lines.join('\n');
    for (const secret of [env.SESSION_SIGNING_KEY, env.ENCRYPTION_KEY, PLATFORM_KEY])
      assert.ok(secret && !text.includes(secret));

    const config = parseConfig(env);
    const database = databases.open(databaseUrl);
    const records = (await recordsOf(database)).map(({ action, actor, target }) => [action, actor, target]);
    const [, link = ''] = /^\s+(http\S+)$/m.exec(text) ?? [];
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

    const password = 'a password of the first';
    const [, code = ''] = /Code: (\S+)/.exec(text) ?? [];
    const jar = new CookieJar();
    await visit(link, jar);
    const set = await visit(link, jar, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ code, password }).toString(),
    });
    assert.equal(set.status, 200);
    const service = await startService({ ...env, AUTH_INTERNAL_URL: env.AUTH_URL }, { logTo: { write: () => {} } });
    try {
      const { callback, jar: own } = await signInUpToCallback(service.url, baseUrl, { email: ADMIN, password });
      assert.equal((await visit(callback, own)).status, 302);
      const session = (await (await visit(`${service.url}/api/auth/session`, own)).json()) as { user: { role: string } };
      assert.equal(session.user.role, 'admin');
    } finally {
      await service.close();
    }

    platform.services.oauthAdmin.calm();
    platform.services.identityAdmin.calm();
    const again = await run('--yes');
    assert.equal(again.exitCode, 0);
    assert.deepEqual(wrote(), []);
    assert.deepEqual(environment(), env);
    assert.match((await run()).lines.at(-1) ?? '', /^Nothing to do\.$/);
  });

  it('makes a new link for an administrator who has not signed in yet', async () => {
    await run('--yes');
    const [first, second] = [await run('--yes'), await run('--yes')].map(({ lines }) =>
      lines.find((line) => line.includes('http')),
    );
    assert.ok(first && second && first !== second);
  });

  it('shows what differs after a change, and changes only that', async () => {
    await run('--yes');
    given.BASE_URL = 'http://localhost:9999';
    const plan = await run();
    assert.equal(plan.exitCode, 3);
    assert.ok(plan.lines.some((line) => line.includes(`BASE_URL: ${baseUrl} → http://localhost:9999`)));
    assert.ok(
      plan.lines.some((line) =>
        line.includes(`redirect_uris: ["${baseUrl}/api/auth/callback"] → ["http://localhost:9999/api/auth/callback"]`),
      ),
    );
    const before = environment();
    await asAdmin('oauthAdmin', 'GET', '/admin/clients/dashboard');
    assert.equal((await run('--yes')).exitCode, 0);
    const client = await asAdmin<Record<string, unknown>>('oauthAdmin', 'GET', '/admin/clients/dashboard');
    assert.deepEqual(client['redirect_uris'], ['http://localhost:9999/api/auth/callback']);
    assert.deepEqual(environment(), { ...before, BASE_URL: 'http://localhost:9999' });
  });

  it('goes on where it was, wherever it was interrupted', async () => {
    const STEPS: ['identityAdmin' | 'oauthAdmin', RegExp, title: string][] = [
      ['oauthAdmin', /^\/admin\/clients$/, 'OAuth 2.0 client'],
      ['identityAdmin', /^\/admin\/identities$/, 'Administrator'],
      ['identityAdmin', /^\/admin\/recovery/, 'Administrator'],
    ];
    for (const [service, path, title] of STEPS) {
      const faulty = platform.services[service];
      faulty.before = (asked) =>
        asked.method === 'POST' && path.test(asked.path) ? { status: 500, body: '{}' } : undefined;
      const failed = await run('--yes');
      assert.equal(failed.exitCode, 1);
      assert.match(failed.lines.find((line) => line.startsWith('failed')) ?? '', new RegExp(`${title}: .*answers 500`));
      assert.match(failed.lines.at(-1) ?? '', new RegExp(`^Left: .*${title}.*Run the same command again`));
      faulty.calm();
    }
    assert.equal((await run('--yes')).exitCode, 0);
    const identities = await asAdmin<{ traits: { email: string } }[]>('identityAdmin', 'GET', '/admin/identities');
    assert.deepEqual(
      identities.map(({ traits }) => traits.email),
      [ADMIN],
    );
  });

  it('loses nothing of an answer that never arrived', async () => {
    platform.services.oauthAdmin.after = ({ method }) => (method === 'POST' ? 'lost' : undefined);
    assert.equal((await run('--yes')).exitCode, 1);
    platform.services.oauthAdmin.calm();
    const again = await run('--yes');
    assert.equal(again.exitCode, 0);
    assert.match(rowOf(again, 'OAuth 2.0 client'), /^ok /);
  });

  it('run twice at once makes one client and one administrator', async () => {
    await run('--yes');
    await empty();
    const both = await Promise.all([run('--yes'), run('--yes')]);
    assert.ok(
      both.some(({ exitCode }) => exitCode === 0),
      JSON.stringify(both),
    );
    assert.equal((await run('--yes')).exitCode, 0);
    assert.equal((await asAdmin<unknown[]>('identityAdmin', 'GET', '/admin/identities')).length, 1);
  });

  it('says in a sentence what a service does wrong, and does nothing behind it', async () => {
    writeFileSync(keyFile, 'wrong');
    const refused = await run('--yes');
    assert.match(
      rowOf(refused, 'OAuth 2.0 client'),
      /^failed .*OAUTH_ADMIN_URL demands a key, or refuses the one it got: give the right one with --key oauth-admin=FILE\.$/,
    );
    writeFileSync(keyFile, PLATFORM_KEY);
    platform.services.oauthAdmin.before = () => ({
      status: 200,
      headers: { 'content-type': 'text/html' },
      body: '<html>',
    });
    assert.match(
      rowOf(await run('--yes'), 'OAuth 2.0 client'),
      /^failed .*OAUTH_ADMIN_URL does not respond as that API/,
    );
    given.OAUTH_ADMIN_URL = 'http://127.0.0.1:9';
    const away = await run('--yes');
    assert.match(rowOf(away, 'OAuth 2.0 client'), /^failed .*OAUTH_ADMIN_URL does not respond: correct it/);
    assert.equal(away.exitCode, 1);
    assert.equal(away.lines.filter((line) => line.includes('Administrator: ')).length, 0);
    assert.deepEqual(
      wrote().filter((line) => line.includes('identities')),
      [],
    );
  });

  it('leaves a person’s role alone', async () => {
    await run('--yes');
    const [{ id } = { id: '' }] = await asAdmin<{ id: string }[]>('identityAdmin', 'GET', '/admin/identities');
    await fetch(`${platform.sandbox.url('identityAdmin')}/admin/identities/${id}`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${PLATFORM_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify([{ op: 'replace', path: '/traits/role', value: 'viewer' }]),
    });
    for (const service of Object.values(platform.services)) service.calm();
    const found = await run('--yes');
    assert.equal(found.exitCode, 1);
    assert.match(rowOf(found, 'Administrator'), /^by hand .*is no active administrator/);
    assert.deepEqual(wrote(), []);
  });

  it('writes down the schema that the identity service lacks', async () => {
    given.OPERATOR_SCHEMA_IDS = 'staff';
    const file = join(folder, 'operator.schema.json');
    assert.match(rowOf(await run(), 'Schema of operators'), /^by hand /);
    assert.equal(existsSync(file), false);
    const found = await run('--yes');
    assert.equal(found.exitCode, 1);
    assert.ok(found.lines.some((line) => line.includes('- { id: staff, url: file://')));
    assert.deepEqual(JSON.parse(readFileSync(file, 'utf8')).properties.traits.properties.role.enum, [
      'admin',
      'viewer',
    ]);
  });

  if (databases.client === 'mysql')
    it('writes down the SQL for a database and a user that are not there, and goes on once it was run', async () => {
      const server = databases.open(databaseUrl);
      const name = `setup_${process.pid}`;
      given.DATABASE_URL = databaseUrl.replace(
        /^mysql:\/\/[^@/]*@([^/]*)\/[^?]*/,
        `mysql://${name}:p%27w%2F%5C@$1/${name}`,
      );
      const found = await run('--yes');
      assert.equal(found.exitCode, 1);
      assert.match(rowOf(found, 'Database'), /^by hand /);
      const file = join(folder, 'customer.sql');
      assert.equal(statSync(file).mode & 0o777, 0o600);
      try {
        const sql = readFileSync(file, 'utf8').replace(/^--.*$/gm, '');
        for (const statement of sql.split(';\n').filter((part) => part.trim() !== ''))
          await server.knex.raw(statement.replaceAll('?', '\\?'));
        assert.equal((await run('--yes')).exitCode, 0);
        assert.equal(checkIn(await examined(environment()), 'database_rights')?.status, 'pass');
      } finally {
        await server.knex.raw(`drop database if exists ${name}`);
        await server.knex.raw(`drop user if exists ${name}`);
      }
    });

  describe('its file of variables', () => {
    it('keeps the keys it has, and is read by Node as it was written', async () => {
      Object.assign(given, { ENVIRONMENT_LABEL: 'it’s "new"', ALLOWED_NETWORKS: '10.0.0.0/8, 127.0.0.0/8' });
      await run('--yes');
      const [before, text] = [environment(), readFileSync(envFile, 'utf8')];
      const names = Object.keys(before);
      const program = `console.log(JSON.stringify(${JSON.stringify(names)}.map((name) => process.env[name])))`;
      const read = execFileSync(process.execPath, [`--env-file=${envFile}`, '-e', program], {
        env: {},
        encoding: 'utf8',
      });
      assert.deepEqual(
        JSON.parse(read),
        names.map((name) => before[name]),
      );
      assert.equal(before.ENVIRONMENT_LABEL, 'it’s "new"');
      for (const name of names) delete given[name];
      await run('--yes');
      assert.equal(readFileSync(envFile, 'utf8'), text);
    });

    it('generates nothing that is given as a file', async () => {
      const path = join(folder, 'encryption-key');
      writeFileSync(path, 'an-encryption-key-in-a-file-0123456789-abcdef');
      given.ENCRYPTION_KEY_FILE = path;
      assert.equal((await run('--yes')).exitCode, 0);
      assert.equal(environment().ENCRYPTION_KEY, undefined);
      assert.equal(environment().ENCRYPTION_KEY_FILE, path);
    });

    it('is refused where others can read it, or where it is none', async () => {
      writeFileSync(envFile, 'PORT=1\n');
      chmodSync(envFile, 0o644);
      await assert.rejects(run('--yes'), /Others can read .*: chmod 600 /);
      rmSync(envFile);
      symlinkSync(keyFile, envFile);
      await assert.rejects(run('--yes'), /is not a file/);
      rmSync(envFile);
      envFile = join(folder, 'nowhere', 'customer.env');
      const failed = await run('--yes');
      assert.equal(failed.exitCode, 1);
      assert.match(rowOf(failed, 'Environment file'), /^failed .*could not be written: ENOENT/);
    });
  });
});

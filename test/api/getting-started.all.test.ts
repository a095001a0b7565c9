import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { COMMANDS, nodeForm } from '../../docs/openapi/commands.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { PLATFORM_KEY, setupRun } from '../support/examined-platform.ts';
import { CookieJar, signInUpToCallback, visit } from '../support/http-sign-in.ts';
import { type Running, startProgram } from '../support/processes.ts';
import { read, root } from '../support/repository-files.ts';

/** Every block for a shell, in the order of the page. */
const blocks = [...read('docs/getting-started.md').matchAll(/^```sh\n([\s\S]+?)^```$/gm)].map(
  ([, block = '']) => block,
);

/** Moves the secrets and the other variables to where the unit of systemd reads them. */
const [, move = ''] = /\n### systemd\n[\s\S]*?```sh\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(read('docs/install.md')) ?? [];

/** What a machine has that this one may not have: programs for administrators, and a key that is known. */
const PROGRAMS: Record<string, string> = {
  sudo: 'exec "$@"',
  nginx: 'test -s nginx/admin-ports.conf',
  openssl: 'printf "%s\\n" "$PLATFORM_KEY"',
  mariadb: 'cat > typed.sql',
};
/** The administrator has no second factor yet. */
const CODES: Record<string, number> = { posture: 1, doctor: 2 };
const HUNDRED_DAYS_MS = 100 * 86_400_000;

describeOnDatabases('the page on getting started', (databases) => {
  if (databases.client === 'sqlite')
    return it('builds as the image does', () => {
      assert.equal(blocks[0], 'npm run build && npm prune --omit=dev\n');
      assert.match(read('deploy/Dockerfile'), /^RUN npm run build && npm prune --omit=dev$/m);
    });
  const own = setupRun(databases);
  const name = `started_${process.pid}`;
  let folder: string;
  let env: Record<string, string>;
  beforeEach(() => {
    assert.ok(existsSync(join(root, 'dist/server/main.js')), 'dist is missing: npm run build');
    folder = mkdtempSync(join(tmpdir(), 'getting-started-'));
    for (const linked of ['dist', 'node_modules', 'package.json'])
      symlinkSync(join(root, linked), join(folder, linked));
    cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
    for (const made of ['bin', 'nginx']) mkdirSync(join(folder, made));
    symlinkSync(process.execPath, join(folder, 'bin/node'));
    for (const [program, script] of Object.entries(PROGRAMS))
      writeFileSync(join(folder, 'bin', program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    env = { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, PLATFORM_KEY, NODE_ENV: 'production' };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** The same lines, with the addresses of the test's own services. */
  function here(block: string): string {
    const databaseUrl = own.databaseUrl.replace(/^mysql:\/\/[^@/]*@([^/]*)\/[^?]*/, `mysql://${name}:pw@$1/${name}`);
    const { port } = new URL(own.baseUrl);
    return [
      ['http://127.0.0.1:4433', own.platform.sandbox.url('identity')],
      ['http://127.0.0.1:5434', own.platform.sandbox.url('identityAdmin')],
      ['http://127.0.0.1:4444', own.platform.sandbox.url('oauth')],
      ['http://127.0.0.1:5445', own.platform.sandbox.url('oauthAdmin')],
      ['BASE_URL=http://localhost:3000', `BASE_URL=${own.baseUrl}\nPORT=${port}\nDATABASE_URL=${databaseUrl}`],
      ['/etc/nginx/conf.d', 'nginx'],
      ['/etc/dashboard-admin', 'etc'],
    ].reduce((text, [from = '', to = '']) => text.replaceAll(from, to), block);
  }
  const run = (block = ''): Running => startProgram('bash', ['--norc', '-ec', here(block)], env, folder);
  async function typed(block: string | undefined): Promise<{ code: number | null; output: string }> {
    const program = run(block);
    return { code: await program.ended(), output: program.output() };
  }
  async function runTypedSql(): Promise<void> {
    const { knex } = databases.open(own.databaseUrl);
    const sql = readFileSync(join(folder, 'typed.sql'), 'utf8').replace(/^--.*$/gm, '');
    for (const statement of sql.split(';\n').filter((part) => part.trim() !== ''))
      await knex.raw(statement.replaceAll('?', '\\?'));
  }

  it('leads to an administrator who signs in, and to an installation in which every documented command runs, and which moves to systemd', async () => {
    const [, key, variables, first, sql, second, doctor, start, ...others] = blocks;
    assert.deepEqual(others, []);
    for (const block of [key, variables]) assert.deepEqual(await typed(block), { code: 0, output: '' });
    const stopped = await typed(first);
    assert.equal(stopped.code, 1, stopped.output);
    assert.match(stopped.output, /^by hand {2}Database: /m);
    let service: Running | undefined;
    try {
      assert.equal((await typed(sql)).code, 0);
      await runTypedSql();
      const done = await typed(second);
      assert.equal(done.code, 0, done.output);
      const checked = await typed(doctor);
      assert.notEqual(checked.code, 1, checked.output);
      // This Node may be past its end of life.
      assert.deepEqual(
        checked.output.match(/^(?:LOCKED|OPEN) .*/gm)?.filter((line) => !/Node\.js/.test(line)) ?? [],
        [],
      );

      service = run(start?.replace(/^node/, 'exec node'));
      await service.printed(/"msg":"listening"/);
      const [, link = ''] = /^\s+(http\S+)$/m.exec(done.output) ?? [];
      const [, code = ''] = /Code: (\S+)/.exec(done.output) ?? [];
      const password = 'a password of the first';
      const set = await visit(link, new CookieJar(), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ code, password }).toString(),
      });
      assert.equal(set.status, 200);
      const who = { email: 'admin@example.com', password };
      const { callback, jar } = await signInUpToCallback(own.baseUrl, own.baseUrl, who);
      assert.equal((await visit(callback, jar)).status, 302);
      const session = await (await visit(`${own.baseUrl}/api/auth/session`, jar)).json();
      assert.equal((session as { user: { role: string } }).user.role, 'admin');

      writeFileSync(join(folder, 'admin-key.txt'), `${PLATFORM_KEY}\n`);
      let position = '';
      for (const command of COMMANDS) {
        const day = new Date(Date.now() - HUNDRED_DAYS_MS).toISOString().slice(0, 10);
        const ran = await typed(nodeForm(command).replace('SEQUENCE:TAG', position).replace('YYYY-MM-DD', day));
        assert.equal(ran.code, CODES[command.words] ?? 0, `${command.words}: ${ran.output}`);
        [position = position] = /\b\d+:[\w-]{43}\b/.exec(ran.output) ?? [];
      }

      const variablesIn = (file: string): NodeJS.ProcessEnv => parseEnv(readFileSync(join(folder, file), 'utf8'));
      const before = parseConfig(variablesIn('customer.env'));
      assert.deepEqual(await typed(move), { code: 0, output: '' });
      assert.ok(!existsSync(join(folder, 'customer.env')));
      const files = ['session-signing-key', 'encryption-key', 'database-url'].map((name) => [
        `${name.toUpperCase().replaceAll('-', '_')}_FILE`,
        join(folder, 'etc/customer', name),
      ]);
      assert.deepEqual(parseConfig({ ...variablesIn('etc/customer.env'), ...Object.fromEntries(files) }), before);
    } finally {
      await service?.stop('SIGKILL');
      const { knex } = databases.open(own.databaseUrl);
      await knex.raw(`drop database if exists ${name}`);
      await knex.raw(`drop user if exists ${name}`);
    }
  });
});

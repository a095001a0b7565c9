import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { OPERATOR_SCHEMA } from '../../server/platform/operator-schema.ts';
import { becomes } from '../support/becomes.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { PLATFORM_KEY } from '../support/examined-platform.ts';
import { CookieJar, signInUpToCallback, visit } from '../support/http-sign-in.ts';
import { setupRun } from '../support/setup-run.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const page = readFileSync(join(root, 'docs/getting-started.md'), 'utf8');
/** Every block for a shell, in the order of the page. */
const blocks = [...page.matchAll(/^```sh\n([\s\S]+?)^```$/gm)].map(([, block = '']) => block);

/** What a machine has that this one may not have: programs for administrators, and a key that is known. */
const SHIMS: Record<string, string> = {
  sudo: 'exec "$@"',
  nginx: 'test -s "$NGINX_FOLDER/admin-ports.conf"',
  openssl: 'printf "%s\\n" "$PLATFORM_KEY"',
  mariadb: 'exec "$NODE" "$RUN_SQL" "$ADMIN_DATABASE"',
};

describeOnDatabases('the page on getting started', (databases) => {
  if (databases.client === 'sqlite')
    return it('has the schema for operators that the service knows, and builds as the image does', () => {
      assert.deepEqual(
        JSON.parse(readFileSync(join(root, 'deploy/kratos/operator.schema.json'), 'utf8')),
        OPERATOR_SCHEMA,
      );
      assert.equal(blocks[0], 'npm run build && npm prune --omit=dev\n');
      const image = readFileSync(join(root, 'deploy/Dockerfile'), 'utf8');
      for (const command of blocks[0].trim().split(' && ')) assert.match(image, new RegExp(`\\b${command}\\b`));
    });
  const own = setupRun(databases);
  let folder: string;
  let service: ChildProcess | undefined;
  beforeEach(() => {
    assert.ok(existsSync(join(root, 'dist/server/main.js')), 'dist is missing: npm run build');
    folder = mkdtempSync(join(tmpdir(), 'getting-started-'));
    for (const name of ['dist', 'node_modules', 'package.json']) symlinkSync(join(root, name), join(folder, name));
    cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
    mkdirSync(join(folder, 'bin'));
    mkdirSync(join(folder, 'nginx'));
    for (const [name, script] of Object.entries(SHIMS)) {
      writeFileSync(join(folder, 'bin', name), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, 'bin', name), 0o755);
    }
  });
  afterEach(() => {
    service?.kill('SIGKILL');
    rmSync(folder, { recursive: true });
  });

  it('leads to an administrator who signs in, if each of its commands is typed', async () => {
    const { port } = new URL(own.baseUrl);
    const name = `started_${process.pid}`;
    const databaseUrl = own.databaseUrl.replace(/^mysql:\/\/[^@/]*@([^/]*)\/[^?]*/, `mysql://${name}:pw@$1/${name}`);
    /** The same lines, with the addresses of the test's own services. */
    const here = (block: string): string =>
      [
        ['http://127.0.0.1:4433', own.platform.sandbox.url('identity')],
        ['http://127.0.0.1:5434', own.platform.sandbox.url('identityAdmin')],
        ['http://127.0.0.1:4444', own.platform.sandbox.url('oauth')],
        ['http://127.0.0.1:5445', own.platform.sandbox.url('oauthAdmin')],
        ['BASE_URL=http://localhost:3000', `BASE_URL=${own.baseUrl}\nPORT=${port}\nDATABASE_URL=${databaseUrl}`],
        ['/etc/nginx/conf.d', join(folder, 'nginx')],
      ].reduce((text, [from = '', to = '']) => text.replaceAll(from, to), block);
    const env = {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      NODE: process.execPath,
      PLATFORM_KEY,
      NGINX_FOLDER: join(folder, 'nginx'),
      RUN_SQL: join(root, 'test/support/run-sql.ts'),
      ADMIN_DATABASE: own.databaseUrl,
    };
    const run = (block: string): ChildProcess =>
      spawn('bash', ['--norc', '-ec', here(block)], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
    async function typed(block: string | undefined): Promise<{ code: number | null; output: string }> {
      const child = run(block ?? assert.fail('no such block'));
      let output = '';
      child.stdout?.on('data', (chunk) => (output += chunk));
      child.stderr?.on('data', (chunk) => (output += chunk));
      const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
      return { code, output };
    }

    const [, key, variables, plan, first, sql, second, doctor, start, ...others] = blocks;
    assert.deepEqual(others, []);
    for (const block of [key, variables]) assert.deepEqual(await typed(block), { code: 0, output: '' });
    const shown = await typed(plan);
    assert.equal(shown.code, 3, shown.output);
    assert.doesNotMatch(shown.output, /^failed/m);
    const stopped = await typed(first);
    assert.equal(stopped.code, 1, stopped.output);
    assert.match(stopped.output, /^by hand {2}Database: /m);
    try {
      assert.equal((await typed(sql)).code, 0);
      const done = await typed(second);
      assert.equal(done.code, 0, done.output);
      const checked = await typed(doctor);
      assert.notEqual(checked.code, 1, checked.output);
      // This Node may be past its end of life.
      assert.deepEqual(
        checked.output.match(/^(?:LOCKED|OPEN) .*/gm)?.filter((line) => !/Node\.js/.test(line)) ?? [],
        [],
      );

      service = run((start ?? '').replace(/^node/, 'exec node'));
      const health = () =>
        fetch(`${own.baseUrl}/api/health`).then(
          ({ status }) => status,
          () => 0,
        );
      await becomes(health, 200);
      const [, link = ''] = /^\s+(http\S+)$/m.exec(done.output) ?? [];
      const [, code = ''] = /Code: (\S+)/.exec(done.output) ?? [];
      const password = 'a password of the first';
      const set = await visit(link, new CookieJar(), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ code, password }).toString(),
      });
      assert.equal(set.status, 200);
      const { callback, jar } = await signInUpToCallback(own.baseUrl, own.baseUrl, {
        email: 'admin@example.com',
        password,
      });
      assert.equal((await visit(callback, jar)).status, 302);
      const session = (await (await visit(`${own.baseUrl}/api/auth/session`, jar)).json()) as {
        user: { role: string };
      };
      assert.equal(session.user.role, 'admin');
    } finally {
      service?.kill('SIGKILL');
      const { knex } = databases.open(own.databaseUrl);
      await knex.raw(`drop database if exists ${name}`);
      await knex.raw(`drop user if exists ${name}`);
    }
  }).timeout(120_000);
});

import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { COMMANDS, nodeForm } from '../../docs/openapi/commands.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { ADMIN_PORT_KEY, setupOfSuite } from '../support/platform.ts';
import { type Running, startProgram } from '../support/processes.ts';
import { readText, root } from '../support/repository-files.ts';

/** The blocks of shell commands on the page, in order. */
const blocks = [...readText('docs/getting-started.md').matchAll(/^```sh\n([\s\S]+?)^```$/gm)].map(
  ([, block = '']) => block,
);

/** The commands that move secrets and other variables to where the systemd unit reads them. */
const [, move = ''] =
  /\n### systemd\n[\s\S]*?```sh\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(readText('docs/install.md')) ?? [];

/** Replacements for programs that the page uses and this machine may lack; the key is fixed. */
const PROGRAMS: Record<string, string> = {
  sudo: 'exec "$@"',
  nginx: 'test -s nginx/admin-ports.conf',
  openssl: 'printf "%s\\n" "$PLATFORM_KEY"',
  mariadb: 'cat > database.sql',
};
/** These commands report that the administrator has no second factor yet. */
const EXIT_CODES: Record<string, number> = { doctor: 2 };
const HUNDRED_DAYS_MS = 100 * 86_400_000;

describeOnDatabases('docs/getting-started.md', (databases) => {
  if (databases.client === 'sqlite')
    return it('builds the service with the same commands as the Dockerfile', () => {
      assert.equal(blocks[0], 'npm run build && npm prune --omit=dev\n');
      assert.match(readText('deploy/Dockerfile'), /^RUN npm run build && npm prune --omit=dev$/m);
    });
  const setup = setupOfSuite(databases);
  const name = `started_${process.pid}`;
  let folder: string;
  let env: Record<string, string>;
  beforeEach(() => {
    assert.ok(existsSync(join(root, 'dist/server/main.js')), 'dist is missing: npm run build');
    folder = mkdtempSync(join(tmpdir(), 'getting-started-'));
    for (const path of ['dist', 'node_modules', 'package.json']) symlinkSync(join(root, path), join(folder, path));
    cpSync(join(root, 'deploy'), join(folder, 'deploy'), { recursive: true });
    for (const path of ['bin', 'nginx']) mkdirSync(join(folder, path));
    symlinkSync(process.execPath, join(folder, 'bin/node'));
    for (const [program, script] of Object.entries(PROGRAMS))
      writeFileSync(join(folder, 'bin', program), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    env = {
      PATH: `${join(folder, 'bin')}:${process.env['PATH']}`,
      PLATFORM_KEY: ADMIN_PORT_KEY,
      NODE_ENV: 'production',
    };
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  /** Replaces the addresses of the page with those of the test's services. */
  function adapted(block: string): string {
    const databaseUrl = setup.databaseUrl.replace(/^mysql:\/\/[^@/]*@([^/]*)\/[^?]*/, `mysql://${name}:pw@$1/${name}`);
    const { port } = new URL(setup.baseUrl);
    return [
      ['http://127.0.0.1:4433', setup.platform.sandbox.url('identity')],
      ['http://127.0.0.1:5434', setup.platform.sandbox.url('identityAdmin')],
      ['http://127.0.0.1:4444', setup.platform.sandbox.url('oauth')],
      ['http://127.0.0.1:5445', setup.platform.sandbox.url('oauthAdmin')],
      ['BASE_URL=http://localhost:3000', `BASE_URL=${setup.baseUrl}\nPORT=${port}\nDATABASE_URL=${databaseUrl}`],
      ['/etc/nginx/conf.d', 'nginx'],
      ['/etc/dashboard-admin', 'etc'],
    ].reduce((text, [from = '', to = '']) => text.replaceAll(from, to), block);
  }
  const start = (block = ''): Running => startProgram('bash', ['--norc', '-ec', adapted(block)], env, folder);
  async function run(block: string | undefined): Promise<{ code: number | null; output: string }> {
    const program = start(block);
    return { code: await program.ended(), output: program.output() };
  }
  async function runSql(): Promise<void> {
    const { knex } = databases.open(setup.databaseUrl);
    const sql = readFileSync(join(folder, 'database.sql'), 'utf8').replace(/^--.*$/gm, '');
    for (const statement of sql.split(';\n').filter((part) => part.trim() !== ''))
      await knex.raw(statement.replaceAll('?', '\\?'));
  }

  it('lets the administrator sign in, run every documented command, and move the installation to systemd', async () => {
    const [, key, variables, firstSetup, sql, secondSetup, doctor, serve, ...others] = blocks;
    assert.deepEqual(others, []);
    for (const block of [key, variables]) assert.deepEqual(await run(block), { code: 0, output: '' });
    const stopped = await run(firstSetup);
    assert.equal(stopped.code, 1, stopped.output);
    assert.match(stopped.output, /^by hand {2}Database: /m);
    let service: Running | undefined;
    try {
      assert.equal((await run(sql)).code, 0);
      await runSql();
      const done = await run(secondSetup);
      assert.equal(done.code, 0, done.output);
      const diagnosis = await run(doctor);
      assert.notEqual(diagnosis.code, 1, diagnosis.output);
      // The Node that runs the tests may be past its end of life.
      assert.doesNotMatch(diagnosis.output, /^(?:LOCKED|OPEN) (?!.*Node\.js)/m);

      service = start(serve?.replace(/^node/, 'exec node'));
      await service.untilPrinted(/"msg":"listening"/);
      assert.equal(await setup.roleAt(setup.baseUrl, done.output, 'admin@example.com'), 'admin');

      writeFileSync(join(folder, 'admin-key.txt'), `${ADMIN_PORT_KEY}\n`);
      let position = '';
      for (const command of COMMANDS) {
        const day = new Date(Date.now() - HUNDRED_DAYS_MS).toISOString().slice(0, 10);
        const result = await run(nodeForm(command).replace('SEQUENCE:TAG', position).replace('YYYY-MM-DD', day));
        assert.equal(result.code, EXIT_CODES[command.words] ?? 0, `${command.words}: ${result.output}`);
        [position = position] = /\b\d+:[\w-]{43}\b/.exec(result.output) ?? [];
      }

      const variablesIn = (file: string): NodeJS.ProcessEnv => parseEnv(readFileSync(join(folder, file), 'utf8'));
      const written = readFileSync(join(folder, 'customer.env'), 'utf8');
      writeFileSync(join(folder, 'customer.env'), written.replace(/^(\w+_KEY|\w+_URL)=(.*)$/gm, `export $1='$2' # $1`));
      const before = parseConfig(variablesIn('customer.env'));
      assert.deepEqual(await run(move), { code: 0, output: '' });
      assert.ok(!existsSync(join(folder, 'customer.env')));
      const files = ['session-signing-key', 'encryption-key', 'database-url'].map((name) => [
        `${name.toUpperCase().replaceAll('-', '_')}_FILE`,
        join(folder, 'etc/customer', name),
      ]);
      assert.deepEqual(parseConfig({ ...variablesIn('etc/customer.env'), ...Object.fromEntries(files) }), before);
    } finally {
      await service?.stop('SIGKILL');
      const { knex } = databases.open(setup.databaseUrl);
      await knex.raw(`drop database if exists ${name}`);
      await knex.raw(`drop user if exists ${name}`);
    }
  });
});

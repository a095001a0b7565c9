import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Database } from '../../server/db/database.ts';
import { TEST_KEYS } from '../support/context.ts';
import {
  DATABASE_FOLDER,
  describeOnDatabases,
  type OwnMariadb,
  skipWithoutOwnMariadb,
  startMariadb,
  type TestDatabases,
} from '../support/databases.ts';
import { CookieJar, callAt, signInUpToCallback, visit } from '../support/http-sign-in.ts';
import { type Running, startProgram } from '../support/processes.ts';
import { readText, root } from '../support/repository-files.ts';
import { DASHBOARD_URL, type SandboxFixture, startSandboxFixture } from '../support/sandbox-fixture.ts';
import { describeWith } from '../support/tools.ts';

const page = readText('docs/backup.md');
const SERVICE = 'node --env-file=customer.env dist/server/main.js';

/** The commands of a step, such as `4. Compare the keys` below the heading `Restore`. */
function commandsOf(heading: string, step: string): string[] {
  const section = page.split(/^(?=## )/m).find((text) => text.startsWith(`## ${heading}\n`)) ?? assert.fail(heading);
  const text = section.split(/^(?=### )/m).find((part) => part.startsWith(`### ${step}\n`)) ?? assert.fail(step);
  return [...text.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, block = '']) => block);
}

/** The commands of a step that differ by database. */
const commandsFor = (client: Database['client'], heading: string, step: string): string[] =>
  commandsOf(heading, step).filter((block) => /mariadb/.test(block) === (client === 'mysql'));

describeOnDatabases('a backup made as in docs/backup.md', (databases) => {
  if (databases.client === 'mysql') drillOn(databases);
  else describeWith('sqlite3', 'with sqlite3', () => drillOn(databases));
});

function drillOn({ client }: TestDatabases): void {
  let folder: string;
  let mariadb: OwnMariadb | undefined;
  let sandbox: SandboxFixture;
  const started: Running[] = [];
  let variables: Record<string, string>;
  /** The last record before the backup, as `SEQUENCE:TAG`. */
  let lastRecord: string;

  /** Runs a command in the folder of `customer.env`. */
  function start(command: string): Running {
    const path = [join(folder, 'bin'), dirname(process.execPath), process.env['PATH']].join(':');
    // `bin` has a `sudo` that only runs its command, because not every machine has one and the tests need no rights.
    const env = { PATH: path, HOME: folder, NODE_ENV: 'production' };
    return startProgram('/bin/sh', ['-ec', command], env, folder);
  }
  async function run(command: string): Promise<{ code: number | null; output: string }> {
    const running = start(command);
    return { code: await running.ended(), output: running.output() };
  }
  async function runAll(commands: readonly string[]): Promise<string> {
    assert.notEqual(commands.length, 0);
    let printed = '';
    for (const command of commands) {
      const { code, output } = await run(command);
      assert.equal(code, 0, `${command}\n${output}`);
      printed += output;
    }
    return printed;
  }
  const command = (args: string): ReturnType<typeof run> => run(`${SERVICE} ${args}`);

  function configure(changed: Record<string, string> = {}): void {
    const lines = Object.entries({ ...variables, ...changed }).map(([name, value]) => `export ${name}="${value}"\n`);
    writeFileSync(join(folder, 'customer.env'), lines.join(''));
  }
  async function startService(): Promise<string> {
    const service = start(`exec ${SERVICE}`);
    started.push(service);
    return `http://127.0.0.1:${(await service.untilPrinted(/"port":(\d+),.*"msg":"listening"/))[1]}`;
  }
  async function stopService(): Promise<void> {
    assert.equal(await started.pop()?.stop(), 0);
  }
  async function signIn(url: string): Promise<string> {
    const operator = sandbox.sandbox().operators.find(({ role }) => role === 'admin') ?? assert.fail();
    const { callback, jar } = await signInUpToCallback(url, DASHBOARD_URL, operator, new CookieJar());
    assert.equal((await visit(callback, jar)).headers.get('location'), '/dashboard');
    return jar.get('dashboard-session') ?? assert.fail();
  }
  const isSignedIn = async (url: string, session: string): Promise<boolean> =>
    (await callAt(url, '/api/settings', { session })).status === 200;
  async function settingsAt(url: string, session: string): Promise<Record<string, string>> {
    const read = async (key: string) =>
      (await (await callAt(url, `/api/settings/${key}?decrypt=true`, { session })).json()) as { value: string };
    return { sender: (await read('mail.sender')).value, password: (await read('mail.password')).value };
  }

  before(async function () {
    folder = mkdtempSync(join(DATABASE_FOLDER, 'restore-'));
    if (client === 'mysql') skipWithoutOwnMariadb(this);
    assert.ok(existsSync(join(root, 'dist/server/main.js')), 'dist is missing: npm run build');
    for (const name of ['bin', 'data']) mkdirSync(join(folder, name));
    symlinkSync(join(root, 'dist'), join(folder, 'dist'));
    writeFileSync(join(folder, 'bin', 'sudo'), '#!/bin/sh\nexec "$@"\n');
    chmodSync(join(folder, 'bin', 'sudo'), 0o755);
    let url = 'sqlite:data/customer.sqlite';
    if (client === 'mysql') {
      mariadb = await startMariadb();
      const address = new URL(await mariadb.createDatabase());
      const socket = address.searchParams.get('socketPath');
      writeFileSync(join(folder, '.my.cnf'), `[client]\nsocket=${socket}\nuser=root\n`);
      address.pathname = '/dashboard';
      url = address.href;
      await runAll(['mariadb -e "create database dashboard"']);
    }
    sandbox = await startSandboxFixture();
    variables = {
      ...TEST_KEYS,
      PORT: '0',
      BASE_URL: DASHBOARD_URL,
      DATABASE_URL: url,
      ...(sandbox.sandbox().environment as Record<string, string>),
    };
    configure();
  });
  after(async () => {
    for (const service of started) await service.stop('SIGKILL');
    await sandbox?.close();
    await mariadb?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('restores settings, the audit trail and ended sessions of a database that has been changed since', async () => {
    const url = await startService();
    const session = await signIn(url);
    const ended = await signIn(url);
    const put = async (key: string, value: string, encrypted = false): Promise<void> =>
      assert.ok((await callAt(url, '/api/settings', { session, json: { key, value, encrypted } })).ok);
    await put('mail.sender', 'Grace');
    await put('mail.password', 'pässword', true);
    assert.equal((await callAt(url, '/api/auth/logout', { method: 'POST', session: ended })).status, 204);
    assert.deepEqual(await settingsAt(url, session), { sender: 'Grace', password: 'pässword' });

    [, lastRecord = assert.fail()] = /Its last record is (\S+)\n$/.exec((await command('audit:verify')).output) ?? [];
    const copied = await runAll(commandsFor(client, 'Back up', '2. Copy the database'));
    assert.match(copied, client === 'mysql' ? /^-- Dump completed on / : /^ok$/m);
    await runAll(commandsOf('Back up', '3. Copy the keys'));

    await put('mail.sender', 'Mallory');
    await put('mail.password', 'changed', true);
    await stopService();
    await runAll(commandsFor(client, 'Restore', '2. Keep what is there'));
    await runAll(commandsFor(client, 'Restore', '3. Put the backup in its place'));
    assert.match(await runAll(commandsOf('Restore', '4. Compare the keys')), /^same keys$/m);
    assert.deepEqual(await command('migrate'), { code: 0, output: 'No migration is missing.\n' });
    const verified = await command(`audit:verify --expect ${lastRecord}`);
    assert.deepEqual([verified.code, /^The audit trail is intact: /.test(verified.output)], [0, true], verified.output);
    const { code, output } = await command('doctor');
    assert.notEqual(code, 1, output);
    assert.doesNotMatch(output, /LOCKED/);

    const restored = await startService();
    assert.deepEqual([await isSignedIn(restored, session), await isSignedIn(restored, ended)], [true, false]);
    assert.deepEqual(await settingsAt(restored, await signIn(restored)), { sender: 'Grace', password: 'pässword' });
    await stopService();
    assert.equal((await command(`audit:verify --expect ${lastRecord}`)).code, 0);
  });

  it('contains an audit trail that is reported as broken with another SESSION_SIGNING_KEY', async () => {
    configure({ SESSION_SIGNING_KEY: 'another-signing-key-0123456789-abcdefghijklmnop' });
    const { code, output } = await command(`audit:verify --expect ${lastRecord}`);
    assert.equal(code, 1);
    assert.match(output, /The audit trail is broken at record 1: .*made with a key that is not available/);
  });
}

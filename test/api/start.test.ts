import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkEnvironment, keysOf } from '../../server/launcher/environment.ts';
import { freePort, Refusal, refusalFor, USAGE } from '../../server/launcher/options.ts';
import type { SettingList } from '../../shared/settings.ts';
import type { SignInPage } from '../../shared/sign-ins.ts';
import { TEST_KEYS } from '../support/context.ts';
import { eventually } from '../support/eventually.ts';
import * as loopback from '../support/loopback.ts';
import { folderOfSuite, folderOfTest } from '../support/of-suite.ts';
import { openidVariables } from '../support/openid-double.ts';
import { launcher, SERVICE_ARGUMENTS, startNode } from '../support/processes.ts';

describe('npm start', () => {
  const start = launcher();

  async function assertRefused(args: string[], env: Record<string, string>, reason: RegExp): Promise<void> {
    const process = start.launch(args, env);
    assert.equal(await process.ended(), 1);
    assert.match(process.output(), reason);
    assert.doesNotMatch(process.output(), /^\s+at /m);
  }

  it('provides settings that survive a restart with --reset, and stores secrets where only its user can read them', async () => {
    const first = await start.started(['--people', '1']);
    const cookie = await first.signIn('admin');
    const list = await fetch(`${first.url}/api/settings`, { headers: { cookie } });
    const { settings } = (await list.json()) as SettingList;
    assert.ok(settings.filter(({ category }) => category !== 'social').length >= 12);
    for (const { key, encrypted } of settings) assert.equal(encrypted, /password|secret|api_key/.test(key), key);
    const connections = await fetch(`${first.url}/api/connections/social`);
    const google = { provider: 'google', display_name: 'Google', enabled: true };
    assert.deepEqual(await connections.json(), { providers: [google] });
    await eventually(async () => {
      const page = await fetch(`${first.url}/api/security/sign-ins?page_size=1`, { headers: { cookie } });
      return ((await page.json()) as SignInPage).events[0]?.event;
    }, 'LoginSucceeded');
    const stored = await fetch(`${first.url}/api/settings`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'own.password', value: 'swordfish', encrypted: true }),
    });
    assert.equal(stored.status, 201);
    for (const name of readdirSync(start.data)) assert.equal(statSync(join(start.data, name)).mode & 0o077, 0, name);
    const keys = readFileSync(join(start.data, 'keys-customer.env'), 'utf8').match(/(?<==).+/g) ?? [];
    assert.equal(keys.length, 2);
    assert.equal(await first.process.stop(), 0);

    const second = await start.started(['--reset']);
    const read = await fetch(`${second.url}/api/settings/own.password?decrypt=true`, {
      headers: { cookie: await second.signIn('admin') },
    });
    assert.equal(((await read.json()) as { value: string }).value, 'swordfish');
    assert.equal(await second.process.stop('SIGINT'), 0);

    assert.match(second.process.output(), /Starting a new sandbox/);
    assert.doesNotMatch(second.process.output(), /Building the app/);
    for (const { process } of [first, second])
      for (const secret of [...keys, 'swordfish']) assert.ok(!process.output().includes(secret));
  });

  it('names and signs in the operators of extra roles only with --extra-roles', async () => {
    const extended = await start.started(['--extra-roles']);
    for (const name of ['support', 'auditor']) assert.ok(await extended.signIn(name));
    await extended.process.stop();
    const { process } = await start.started();
    assert.doesNotMatch(process.output(), /support|auditor/);
  });

  it('starts no sandbox when AUTH_URL names a real server', async () => {
    const { process } = await start.started([], { AUTH_URL: 'http://127.0.0.1:9', OAUTH_CLIENT_ID: 'dashboard' });
    assert.doesNotMatch(process.output(), /sign in as/);
    assert.ok(!readdirSync(start.data).some((name) => name.startsWith('sandbox')));
  });

  it('exits with 1 if the sandbox is damaged, names --reset as the remedy, and starts with that option', async () => {
    writeFileSync(join(start.data, 'sandbox-customer.sqlite'), 'not a database, but long enough to be taken for one');
    const reason = /^The sandbox’s data in .+ cannot be used: .+ is not a database\. "npm start -- --reset"/m;
    await assertRefused([], {}, reason);
    await start.started(['--reset']);
  });

  it('exits with 1 if --data is not a folder, and says so', async () => {
    const file = join(start.data, 'file');
    writeFileSync(file, '');
    for (const data of [file, join(file, 'folder')])
      await assertRefused(['--data', data], {}, /^(?:EEXIST|ENOTDIR): .+\. --data must name a folder/);
  });

  for (const [title, env, reason] of [
    ['the sandbox in production', { NODE_ENV: 'production' }, /sandbox does not start in production/],
    ['several invalid variables at once', { DEPLOYMENT: 'staff', LOG_LEVEL: 'loud' }, /DEPLOYMENT[\s\S]*LOG_LEVEL/],
  ] as const)
    it(`rejects ${title}, and writes no file`, async () => {
      await assertRefused([], env, reason);
      assert.deepEqual(readdirSync(start.data), []);
    });
});

describe('the launcher', () => {
  const inFolder = folderOfTest();

  it('generates keys once for each deployment, readable only by their owner', () => {
    const data = inFolder('data');
    const keys = keysOf(data, 'customer');
    assert.deepEqual(keysOf(data, 'customer'), keys);
    assert.equal(new Set([...Object.values(keys), ...Object.values(keysOf(data, 'workforce'))]).size, 4);
    assert.ok(Object.values(keys).every((key) => Buffer.byteLength(key) >= 32));
    assert.equal(statSync(data).mode & 0o777, 0o700);
    assert.deepEqual(readdirSync(data).sort(), ['keys-customer.env', 'keys-workforce.env']);
    for (const name of readdirSync(data)) assert.equal(statSync(join(data, name)).mode & 0o777, 0o600);
  });

  it('never overwrites a damaged key file', () => {
    const path = inFolder('keys-customer.env');
    writeFileSync(path, 'SESSION_SIGNING_KEY=only-this\n');
    assert.throws(() => keysOf(inFolder(), 'customer'), Refusal);
    assert.equal(readFileSync(path, 'utf8'), 'SESSION_SIGNING_KEY=only-this\n');
  });

  it('explains in its help the options that it suggests for a port in use', () => {
    const { message = '' } = refusalFor(Object.assign(new Error(), { code: 'EADDRINUSE', port: 3000 })) ?? {};
    for (const name of ['PORT', '--sandbox-ports']) {
      assert.ok(message.includes(name));
      assert.match(USAGE, new RegExp(`(?<!-)${name}\\b`));
    }
  });

  it('chooses with PORT=0 a port that no outgoing connection takes before the service listens', async () => {
    const ports = await Promise.all(Array.from({ length: 20 }, () => freePort('127.0.0.1', 0)));
    assert.ok(ports.every((port) => port < 32_768));
  });

  it('starts a sandbox only without AUTH_URL and AUTH_ISSUER, and only on loopback', () => {
    assert.equal(checkEnvironment({}).needsSandbox, true);
    for (const env of [{ AUTH_URL: 'http://127.0.0.1:4444' }, openidVariables('https://login.example/')])
      assert.equal(checkEnvironment({ ...env, OAUTH_CLIENT_ID: 'dashboard' }).needsSandbox, false);
    for (const HOST of ['0.0.0.0', '::', '192.168.1.5']) assert.throws(() => checkEnvironment({ HOST }), /loopback/);
  });
});

describe('the started service', () => {
  const inFolder = folderOfSuite();
  let env: Record<string, string>;

  before(async () => {
    const port = await loopback.freePort();
    env = {
      ...TEST_KEYS,
      NODE_ENV: 'production',
      PORT: String(port),
      BASE_URL: `http://localhost:${port}`,
      DATABASE_URL: `sqlite:${inFolder('dashboard.sqlite')}`,
      AUTH_URL: 'http://127.0.0.1:9',
      OAUTH_CLIENT_ID: 'dashboard',
    };
  });

  it('exits with 1 in an invalid environment, and names every problem but no value', async () => {
    const service = startNode(SERVICE_ARGUMENTS, {
      NODE_ENV: 'production',
      ENCRYPTION_KEY_PREVIUOS: 'a-misplaced-key',
      DATABASE_URL: 'oracle://secret-host/db',
      OAUTH_CLIENT_ID: 'dashboard',
    });
    assert.equal(await service.ended(), 1);
    const output = service.output();
    for (const problem of [
      'SESSION_SIGNING_KEY is required',
      'DATABASE_URL',
      'ENCRYPTION_KEY_PREVIUOS is not read: did you mean ENCRYPTION_KEY_PREVIOUS?',
      // There is no sandbox in production, so a real OAuth server is required.
      'AUTH_URL is required',
    ])
      assert.ok(output.includes(problem), `${problem} is missing in: ${output}`);
    assert.doesNotMatch(output, /^\s+at |^\{|secret-host|a-misplaced-key/m);
  });

  for (const [NODE_ENV, mode] of [
    ['', 'production'],
    ['test', 'production'],
    ['development', 'development'],
  ] as const)
    it(`runs in ${mode} mode from a build if NODE_ENV is "${NODE_ENV}"`, async () => {
      const changed = { NODE_ENV, BASE_URL: '', DATABASE_URL: '' };
      const doctor = startNode(['dist/server/main.js', 'doctor', '--environment'], { ...env, ...changed });
      await doctor.ended();
      assert.match(doctor.output(), /The environment/);
      const isInProduction = /LOCKED[\s\S]*BASE_URL is required in production/.test(doctor.output());
      assert.equal(isInProduction, mode === 'production', doctor.output());
    });

  it('exits with 1 on an older Node and names the supported releases, before it loads native code', async () => {
    const olderNode = inFolder('older-node.cjs');
    writeFileSync(
      olderNode,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
      process.dlopen = () => { throw new Error('loaded'); };`,
    );
    for (const args of [[], ['--version']]) {
      const service = startNode(['--require', olderNode, ...SERVICE_ARGUMENTS, ...args], env);
      assert.equal(await service.ended(), 1);
      assert.equal(service.output(), 'Node ^22.18.0 || ^24.0.0 || >=26.0.0 is required; this is 20.20.2.\n');
    }
  });

  it('logs JSON lines, serves the API and the built app, and exits with 0 on SIGTERM', async () => {
    const service = startNode(SERVICE_ARGUMENTS, env);
    try {
      await service.untilPrinted(/listening/);
      assert.equal((await fetch(`http://127.0.0.1:${env.PORT}/api/health`)).status, 200);
      const page = await fetch(`http://127.0.0.1:${env.PORT}/dashboard`, { headers: { accept: 'text/html' } });
      assert.match(page.headers.get('strict-transport-security') ?? '', /max-age=/);
      const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1];
      const asset = await fetch(`http://127.0.0.1:${env.PORT}${script}`, { headers: { 'accept-encoding': 'br' } });
      assert.equal(asset.headers.get('content-encoding'), 'br');
      assert.match(asset.headers.get('cache-control') ?? '', /immutable/);
    } finally {
      assert.equal(await service.stop(), 0);
    }
    const lines = service.output().trim().split('\n');
    assert.equal(lines.map((line) => JSON.parse(line).msg).at(-1), 'closed');
  });
});

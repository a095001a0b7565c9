import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkEnvironment, keysOf } from '../../server/launcher/environment.ts';
import { freePort, Refusal, refusalFor, USAGE } from '../../server/launcher/options.ts';
import type { SettingList } from '../../shared/settings.ts';
import type { SignInPage } from '../../shared/sign-ins.ts';
import { eventually } from '../support/eventually.ts';
import { folderOfTest } from '../support/of-suite.ts';
import { openidVariables } from '../support/openid-double.ts';
import { launcher } from '../support/processes.ts';

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

  it('names and signs in the operators of extra roles only with --extra-roles, and ends their sessions without', async () => {
    const plain = await start.started();
    assert.doesNotMatch(plain.process.output(), /support|auditor/);
    await plain.process.stop();
    const statusOf = async (at: { url: string }, cookie: string): Promise<number> =>
      (await fetch(`${at.url}/api/auth/session`, { headers: { cookie } })).status;
    const extended = await start.started(['--extra-roles']);
    const sessions = [await extended.signIn('support'), await extended.signIn('auditor')];
    for (const cookie of sessions) assert.equal(await statusOf(extended, cookie), 200);
    await extended.process.stop();
    const again = await start.started();
    assert.doesNotMatch(again.process.output(), /support|auditor/);
    for (const cookie of sessions) assert.equal(await statusOf(again, cookie), 401);
    assert.equal(await statusOf(again, await again.signIn('viewer')), 200);
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

import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SettingList } from '../../shared/settings.ts';
import { launcher } from '../support/processes.ts';

describe('npm start', () => {
  const own = launcher();

  it('gives operators a dashboard with settings, which it keeps over a restart and a reset, and keys to itself', async () => {
    const first = await own.started(['--people', '1']);
    const cookie = await first.signIn('admin');
    const list = await fetch(`${first.url}/api/settings`, { headers: { cookie } });
    const { settings } = (await list.json()) as SettingList;
    assert.ok(settings.filter(({ category }) => category !== 'social').length >= 12);
    const secret = (key: string): boolean => /password|secret|api_key/.test(key);
    for (const { key, encrypted } of settings) assert.equal(encrypted, secret(key), key);
    const offered = await fetch(`${first.url}/api/connections/social`);
    const google = { provider: 'google', display_name: 'Google', enabled: true };
    assert.deepEqual(await offered.json(), { providers: [google] });
    const stored = await fetch(`${first.url}/api/settings`, {
      method: 'POST',
      headers: { cookie, 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'own.password', value: 'swordfish', encrypted: true }),
    });
    assert.equal(stored.status, 201);
    for (const name of readdirSync(own.data)) assert.equal(statSync(join(own.data, name)).mode & 0o077, 0, name);
    const keys = readFileSync(join(own.data, 'keys-customer.env'), 'utf8').match(/(?<==).+/g) ?? [];
    assert.equal(await first.process.stop(), 0);

    const again = await own.started(['--reset']);
    const read = await fetch(`${again.url}/api/settings/own.password?decrypt=true`, {
      headers: { cookie: await again.signIn('admin') },
    });
    assert.equal(((await read.json()) as { value: string }).value, 'swordfish');
    assert.equal(await again.process.stop('SIGINT'), 0);

    assert.match(again.process.output(), /Starting a new sandbox/);
    assert.doesNotMatch(again.process.output(), /Building the app/);
    assert.equal(keys.length, 2);
    for (const { process } of [first, again])
      for (const secret of [...keys, 'swordfish']) assert.ok(!process.output().includes(secret));
  });

  it('starts no sandbox when AUTH_URL names a real server', async () => {
    const { process } = await own.started([], { AUTH_URL: 'http://127.0.0.1:9', OAUTH_CLIENT_ID: 'dashboard' });
    assert.doesNotMatch(process.output(), /sign in as/);
    assert.deepEqual(
      readdirSync(own.data).filter((name) => name.startsWith('sandbox')),
      [],
    );
  });

  it('says what to do about a damaged sandbox, and ends', async () => {
    writeFileSync(join(own.data, 'sandbox-customer.sqlite'), 'not a database, but long enough to be taken for one');
    const process = own.launch();
    assert.equal(await process.ended(), 1);
    assert.match(
      process.output(),
      /^The sandbox’s data in .+ cannot be used: .+ is not a database\. "npm start -- --reset"/m,
    );
    assert.doesNotMatch(process.output(), /^\s+at /m);
    await own.started(['--reset']);
  });

  it('says that --data must be a folder', async () => {
    const file = join(own.data, 'file');
    writeFileSync(file, '');
    for (const data of [file, join(file, 'folder')]) {
      const process = own.launch(['--data', data]);
      assert.equal(await process.ended(), 1);
      assert.match(process.output(), /^(?:EEXIST|ENOTDIR): .+\. --data must name a folder/);
      assert.doesNotMatch(process.output(), /^\s+at /m);
    }
  });

  const REFUSED: [title: string, env: Record<string, string>, said: RegExp][] = [
    ['the sandbox in production', { NODE_ENV: 'production' }, /sandbox does not start in production/],
    ['the sandbox on a public address', { HOST: '0.0.0.0' }, /set HOST to a loopback address/],
    ['several mistakes, all at once', { DEPLOYMENT: 'staff', LOG_LEVEL: 'loud' }, /DEPLOYMENT[\s\S]*LOG_LEVEL/],
  ];
  for (const [title, env, said] of REFUSED)
    it(`refuses ${title}`, async () => {
      const process = own.launch([], env);
      assert.equal(await process.ended(), 1);
      assert.match(process.output(), said);
      assert.doesNotMatch(process.output(), /^\s+at /m);
      assert.deepEqual(readdirSync(own.data), []);
    });
});

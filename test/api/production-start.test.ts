import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { TEST_KEYS } from '../support/dashboard.ts';
import { freePort } from '../support/free-port.ts';
import { SERVICE } from '../support/processes.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const compiled = join(root, 'dist', 'server');

/** Runs the production form with this environment alone. */
function launch(env: Record<string, string>, args: string[] = [], input = '', nodeArgs: string[] = []) {
  const child = spawn(process.execPath, [...nodeArgs, ...SERVICE, ...args], {
    cwd: root,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk: Buffer) => {
    out += String(chunk);
  });
  child.stderr.on('data', (chunk: Buffer) => {
    err += String(chunk);
  });
  child.stdin.end(input);
  const ended = once(child, 'exit').then(([code]) => ({ code: code as number | null, out, err }));
  return { child, ended, said: () => out };
}

describe('production form', () => {
  let directory: string;
  let env: Record<string, string>;

  before(async () => {
    directory = await mkdtemp(join(tmpdir(), 'production-'));
    const port = await freePort();
    env = {
      ...TEST_KEYS,
      NODE_ENV: 'production',
      PORT: String(port),
      BASE_URL: `http://localhost:${port}`,
      DATABASE_URL: `sqlite:${join(directory, 'dashboard.sqlite')}`,
      AUTH_URL: 'http://127.0.0.1:9',
      OAUTH_CLIENT_ID: 'dashboard',
    };
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('without a usable environment exits 1 with one message that names every problem, and no value', async () => {
    const { code, out, err } = await launch({
      NODE_ENV: 'production',
      ENCRYPTION_KEY_PREVIUOS: 'a-misplaced-key',
      DATABASE_URL: 'oracle://secret-host/db',
      OAUTH_CLIENT_ID: 'dashboard',
    }).ended;
    assert.deepEqual([code, out], [1, '']);
    for (const name of [
      'SESSION_SIGNING_KEY is required',
      'DATABASE_URL',
      'ENCRYPTION_KEY_PREVIUOS is not read: did you mean ENCRYPTION_KEY_PREVIOUS?',
      // There is no sandbox in production, so a real OAuth server is required.
      'AUTH_URL is required',
    ])
      assert.ok(err.includes(name), `${name} is not named in: ${err}`);
    assert.doesNotMatch(err, /^\s+at |secret-host|a-misplaced-key/m);
  });

  it('is in production unless it is told that it is in development', async () => {
    const here = { ...env, BASE_URL: '', DATABASE_URL: '' };
    for (const [NODE_ENV, expected] of [
      ['', /BASE_URL is required in production/],
      ['test', /BASE_URL is required in production/],
      ['development', /^$/],
    ] as const) {
      const child = spawn(process.execPath, ['dist/server/main.js', 'doctor', '--environment'], {
        cwd: root,
        env: { PATH: process.env.PATH, ...here, NODE_ENV },
      });
      const printed = await text(child.stdout);
      assert.match(printed.includes('LOCKED') ? printed : '', expected, NODE_ENV);
    }
  });

  it('says in one sentence that its Node is too old, before anything native is loaded', async () => {
    const preload = join(directory, 'older-node.cjs');
    await writeFile(
      preload,
      `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.20.2' } });
      process.dlopen = () => { throw new Error('loaded'); };`,
    );
    for (const args of [[], ['--version']]) {
      const { code, out, err } = await launch(env, args, '', ['--require', preload]).ended;
      assert.deepEqual([code, out], [1, '']);
      assert.equal(err, 'Node ^22.18.0 || ^24.0.0 || >=26.0.0 is required; this is 20.20.2.\n');
    }
  });

  it('logs JSON lines, serves the API and the built app, and exits 0 on SIGTERM', async () => {
    const { child, ended, said } = launch(env);
    while (!said().includes('listening')) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.equal((await fetch(`http://127.0.0.1:${env.PORT}/api/health`)).status, 200);
    const page = await fetch(`http://127.0.0.1:${env.PORT}/dashboard`, { headers: { accept: 'text/html' } });
    assert.match(page.headers.get('strict-transport-security') ?? '', /max-age=/);
    const script = /src="(\/assets\/[^"]+\.js)"/.exec(await page.text())?.[1];
    const asset = await fetch(`http://127.0.0.1:${env.PORT}${script}`, { headers: { 'accept-encoding': 'br' } });
    assert.equal(asset.headers.get('content-encoding'), 'br');
    assert.match(asset.headers.get('cache-control') ?? '', /immutable/);
    child.kill('SIGTERM');
    const { code, out } = await ended;
    assert.equal(code, 0);
    const lines = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.equal(lines.at(-1).msg, 'closed');
  });

  it('stores a setting from standard input, and checks the audit trail that records it', async () => {
    const command = ['settings:set', 'upstream.identity-admin.api_key'];
    const set = await launch(env, command, 'a-key-from-the-command-line\n').ended;
    assert.deepEqual([set.code, set.err], [0, '']);
    assert.doesNotMatch(set.out, /a-key-from/);
    assert.match(set.out, /^Created the setting\. A running service uses it within five seconds\.$/m);
    const line = JSON.parse(set.out.split('\n').find((text) => text.startsWith('{')) ?? assert.fail('no audit line'));
    assert.equal(line.audit.action, 'setting_write');
    const verified = await launch(env, ['audit:verify', '--expect', `${line.sequence}:${line.tag}`]).ended;
    assert.equal(verified.code, 0);
    assert.match(verified.out, /is intact: 1 records/);
    const rewound = await launch(env, ['audit:verify', '--expect', `2:${line.tag}`]).ended;
    assert.equal(rewound.code, 1);
  });

  it('encrypts settings with a new key by a command, which reports what no key opens', async () => {
    const ENCRYPTION_KEY = 'Zr8w1PqK0vTn4yLb6dXc2mHs9gJf3uEa5iOx7kRtBvQ=';
    const changed = { ...env, ENCRYPTION_KEY };
    const refused = await launch(changed, ['settings:rekey']).ended;
    assert.equal(refused.code, 1);
    assert.match(refused.out, /upstream\.identity-admin\.api_key: it was encrypted with a key that is not configured/);
    const done = await launch({ ...changed, ENCRYPTION_KEY_PREVIOUS: TEST_KEYS.ENCRYPTION_KEY }, ['settings:rekey'])
      .ended;
    assert.equal(done.code, 0, done.err);
    assert.match(done.out, /current key: 1\.\nNo setting needs an older key any more\./);
    assert.doesNotMatch(done.out, /a-key-from/);
  });

  it('holds neither sandbox nor launcher, and no package of development', () => {
    const files = readdirSync(compiled).filter((name) => name.endsWith('.js'));
    const sources = files.flatMap((name) => {
      const map = join(compiled, `${name}.map`);
      return existsSync(map) ? (JSON.parse(readFileSync(map, 'utf8')) as { sources: string[] }).sources : [];
    });
    assert.ok(sources.some((source) => source.endsWith('server/app.ts')));
    assert.deepEqual(
      sources.filter((source) => /server\/(?:sandbox|launcher)\//.test(source)),
      [],
    );
    const { devDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      devDependencies: Record<string, string>;
    };
    const bundled = sources.map((source) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(source)?.[1]);
    assert.ok(bundled.includes('express'));
    assert.deepEqual(
      bundled.filter((name) => name !== undefined && name in devDependencies),
      [],
    );
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Setting, SettingList } from '../../shared/settings.ts';
import { until } from '../support/becomes.ts';
import { CookieJar, signInUpToCallback, submitSignIn, visit } from '../support/http-sign-in.ts';
import { type Running, startNode } from '../support/processes.ts';

const ANY_PORTS = ['--sandbox-ports', '0,0,0,0', '--people', '0'];

describe('npm start', () => {
  let data: string;
  let running: Running[];

  beforeEach(() => {
    data = mkdtempSync(join(tmpdir(), 'start-'));
    running = [];
  });
  afterEach(async () => {
    await Promise.all(running.map((process) => process.stop('SIGKILL')));
    rmSync(data, { recursive: true, force: true });
  });

  function launch(args: readonly string[] = [], env: Record<string, string> = {}): Running {
    const process = startNode(['server/launcher/start.ts', '--data', data, ...ANY_PORTS, ...args], {
      PORT: '0',
      ...env,
    });
    running.push(process);
    return process;
  }

  interface Started {
    process: Running;
    baseUrl: string;
    /** The address behind the name, which only browsers resolve. */
    url: string;
  }
  async function started(args: readonly string[] = [], env: Record<string, string> = {}): Promise<Started> {
    const process = launch(args, env);
    const [, baseUrl = ''] = await process.printed(/is listening on (http:\/\/\S+)[\s\S]*Ctrl-C/);
    return { process, baseUrl, url: `http://127.0.0.1:${new URL(baseUrl).port}` };
  }

  /** Signs in as the operator of that role that the launcher printed. @returns the session's cookie */
  async function signIn({ process, url, baseUrl }: Started, role: string): Promise<string> {
    const [, email = '', password = ''] = await process.printed(new RegExp(`as ${role}: (\\S+), password (\\S+)`));
    const { callback, jar } = await signInUpToCallback(url, baseUrl, { email, password }, new CookieJar());
    assert.equal((await visit(callback, jar)).headers.get('location'), '/dashboard');
    return `dashboard-session=${jar.get('dashboard-session')}`;
  }

  it('gives operators a dashboard that keeps an encrypted setting over a restart and a reset, and keys to itself', async () => {
    const first = await started();
    const stored = await fetch(`${first.url}/api/settings`, {
      method: 'POST',
      headers: { cookie: await signIn(first, 'admin'), 'content-type': 'application/json' },
      body: JSON.stringify({ key: 'mail.password', value: 'swordfish', encrypted: true }),
    });
    assert.equal(stored.status, 201);
    for (const name of readdirSync(data)) assert.equal(statSync(join(data, name)).mode & 0o077, 0, name);
    const keys = readFileSync(join(data, 'keys-customer.env'), 'utf8').match(/(?<==).+/g) ?? [];
    assert.equal(await first.process.stop(), 0);

    const again = await started(['--reset']);
    const read = await fetch(`${again.url}/api/settings/mail.password?decrypt=true`, {
      headers: { cookie: await signIn(again, 'admin') },
    });
    assert.equal(((await read.json()) as { value: string }).value, 'swordfish');
    assert.equal(await again.process.stop('SIGINT'), 0);

    assert.match(again.process.output(), /Starting a new sandbox/);
    assert.doesNotMatch(again.process.output(), /Building the app/);
    assert.equal(keys.length, 2);
    for (const { process } of [first, again])
      for (const secret of [...keys, 'swordfish']) assert.ok(!process.output().includes(secret));
  });

  it('closes everything when its terminal is closed, which may be said twice, and ends by that signal', async () => {
    const { process, url } = await started();
    void process.stop('SIGHUP');
    const isEnding = (): Promise<boolean> =>
      fetch(`${url}/api/health`).then(
        ({ status }) => status === 503,
        () => true,
      );
    await until(isEnding);
    assert.equal(await process.stop('SIGHUP'), null);
    assert.match(process.output(), /"msg":"closed"/);
    const open = readdirSync(data).filter((name) => /-(?:wal|shm)$/.test(name));
    assert.deepEqual(open, []);
  });

  it('has a sign-in page that locks an account after five wrong passwords, where the dashboard shows it', async () => {
    const own = await started();
    const cookie = await signIn(own, 'admin');
    const [, email = ''] = await own.process.printed(/as viewer: (\S+),/);
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      const login = await visit(`${own.url}/api/auth/login`, new CookieJar());
      const authorization = login.headers.get('location') ?? '';
      const provider = new CookieJar();
      const page = (await visit(authorization, provider)).headers.get('location') ?? '';
      const fields = { identifier: email, password: `wrong ${attempt}` };
      const answer = await submitSignIn(new URL(page, authorization).href, provider, fields);
      assert.equal(/is locked/.test(await answer.text()), attempt === 5);
    }
    const locked = await fetch(`${own.url}/api/security/locked-accounts`, { headers: { cookie } });
    const { data } = (await locked.json()) as { data: { identifier: string; attempts: number }[] };
    assert.deepEqual(
      data.map(({ identifier, attempts }) => [identifier, attempts]),
      [[email, 5]],
    );
    assert.equal(await own.process.stop(), 0);
  });

  it('runs both deployments side by side, each with its own operators, keys and name', async () => {
    const [customer, workforce] = await Promise.all([started(), started(['--deployment', 'workforce'])]);
    assert.match(customer.baseUrl, /^http:\/\/localhost:\d+$/);
    assert.match(workforce.baseUrl, /^http:\/\/workforce\.localhost:\d+$/);
    const cookie = await signIn(workforce, 'viewer');
    const sessionAt = (url: string) => fetch(`${url}/api/auth/session`, { headers: { cookie } });
    assert.equal((await sessionAt(workforce.url)).status, 200);
    assert.equal((await sessionAt(customer.url)).status, 401);
    const kept = readdirSync(data).filter((name) => /^(keys|sandbox)-\w+\.(env|sqlite)$/.test(name));
    assert.equal(kept.length, 4);
  });

  it('gives a new sandbox with people settings and two providers, and adds none where settings are', async () => {
    const settingsOf = async (own: Started): Promise<Setting[]> => {
      const headers = { cookie: await signIn(own, 'admin') };
      const answer = await fetch(`${own.url}/api/settings`, { headers });
      return ((await answer.json()) as SettingList).settings;
    };
    const first = await started(['--people', '1']);
    const settings = await settingsOf(first);
    assert.ok(settings.filter(({ category }) => category !== 'social').length >= 12);
    const secret = (key: string): boolean => /password|secret|api_key/.test(key);
    for (const { key, encrypted } of settings) assert.equal(encrypted, secret(key), key);
    const offered = await fetch(`${first.url}/api/connections/social`);
    const google = { provider: 'google', display_name: 'Google', enabled: true };
    assert.deepEqual(await offered.json(), { providers: [google] });
    const [gone, ...others] = settings.map(({ key }) => key);
    const removed = await fetch(`${first.url}/api/settings/${gone}`, {
      method: 'DELETE',
      headers: { cookie: await signIn(first, 'admin') },
    });
    assert.equal(removed.status, 204);
    assert.equal(await first.process.stop(), 0);
    const again = await started(['--people', '1', '--reset']);
    assert.deepEqual(
      (await settingsOf(again)).map(({ key }) => key),
      others,
    );
    assert.equal(await again.process.stop(), 0);
  });

  it('starts no sandbox when AUTH_URL names a real server', async () => {
    const { process } = await started([], { AUTH_URL: 'http://127.0.0.1:9', OAUTH_CLIENT_ID: 'dashboard' });
    assert.doesNotMatch(process.output(), /sign in as/);
    assert.deepEqual(
      readdirSync(data).filter((name) => name.startsWith('sandbox')),
      [],
    );
  });

  it('names the port that is taken, and ends', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    try {
      const own = launch([], { PORT: String(port) });
      assert.equal(await own.ended(), 1);
      assert.match(own.output(), new RegExp(`^Port ${port} is in use\\.`, 'm'));
      const sandbox = launch(['--sandbox-ports', `0,0,${port},0`]);
      assert.equal(await sandbox.ended(), 1);
      assert.match(sandbox.output(), new RegExp(`^Port ${port} is in use\\.`, 'm'));
      assert.doesNotMatch(sandbox.output(), /^\s+at /m);
    } finally {
      server.close();
    }
  });

  const REFUSED: [title: string, env: Record<string, string>, said: RegExp][] = [
    ['the sandbox in production', { NODE_ENV: 'production' }, /sandbox does not start in production/],
    ['the sandbox on a public address', { HOST: '0.0.0.0' }, /set HOST to a loopback address/],
    ['an unknown deployment', { DEPLOYMENT: 'staff' }, /DEPLOYMENT must be one of customer, workforce/],
    ['several mistakes, all at once', { PROXY_TIMEOUT_MS: 'x', LOG_LEVEL: 'loud' }, /PROXY_TIMEOUT_MS[\s\S]*LOG_LEVEL/],
  ];
  for (const [title, env, said] of REFUSED)
    it(`refuses ${title}`, async () => {
      const process = launch([], env);
      assert.equal(await process.ended(), 1);
      assert.match(process.output(), said);
      assert.doesNotMatch(process.output(), /^\s+at /m);
      assert.deepEqual(readdirSync(data), []);
    });

  it('explains itself, also to who mistypes', async () => {
    const help = launch(['--help']);
    assert.equal(await help.ended(), 0);
    const mistyped = launch(['--resett']);
    assert.equal(await mistyped.ended(), 2);
    for (const { output } of [help, mistyped]) assert.match(output(), /npm start -- --deployment workforce/);
  });
});

import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import * as openid from 'openid-client';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../server/sandbox/start-sandbox.ts';

const DASHBOARD = 'http://localhost:3000';
const CALLBACK = `${DASHBOARD}/api/auth/callback`;
const ANY_PORTS = { identityPublic: 0, identityAdmin: 0, oauthPublic: 0, oauthAdmin: 0 };

describe("the sandbox's OAuth server", () => {
  let directory: string;
  let sandbox: Sandbox;
  let client: openid.Configuration;

  const start = async (options: Partial<SandboxOptions> = {}): Promise<void> => {
    const fixed = {
      deployment: 'customer',
      dataDirectory: directory,
      dashboardUrl: DASHBOARD,
      production: false,
    } as const;
    sandbox = await startSandbox({ ...fixed, ports: ANY_PORTS, people: 0, ...options });
    const execute = [openid.allowInsecureRequests];
    const issuer = new URL(sandbox.environment.AUTH_URL ?? '');
    client = await openid.discovery(issuer, 'dashboard', undefined, openid.None(), { execute });
  };

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'sandbox-oauth-'));
    await start();
  });
  afterEach(async () => {
    await sandbox.close();
    rmSync(directory, { recursive: true });
  });

  const operator = (role: 'admin' | 'viewer') => {
    const found = sandbox.operators.find((candidate) => candidate.role === role);
    assert.ok(found);
    return found;
  };
  const begin = async (extra: Record<string, string> = {}) => {
    const verifier = openid.randomPKCECodeVerifier();
    const url = openid.buildAuthorizationUrl(client, {
      redirect_uri: CALLBACK,
      scope: 'openid profile email',
      state: 'a-state',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...extra,
    });
    const browser = new Browser();
    return { verifier, browser, page: await browser.open(url.href) };
  };
  const signIn = async (email: string, password: string) => {
    const { verifier, browser, page } = await begin();
    const landed = await browser.submit(page, { identifier: email, password });
    return { verifier, landed };
  };
  const tokensOf = async (role: 'admin' | 'viewer') => {
    const { email, password } = operator(role);
    const { verifier, landed } = await signIn(email, password);
    const checks = { pkceCodeVerifier: verifier, expectedState: 'a-state' };
    return openid.authorizationCodeGrant(client, new URL(landed.url), checks);
  };

  it('signs an operator in by code and PKCE, and tells role, traits and e-mail in userinfo', async () => {
    const tokens = await tokensOf('admin');
    const subject = tokens.claims()?.sub ?? '';
    const claims = await openid.fetchUserInfo(client, tokens.access_token, subject);
    assert.equal(claims.email, 'admin@example.com');
    assert.equal(claims.email_verified, true);
    assert.equal(claims.role, 'admin');
    assert.deepEqual(claims.traits, { email: 'admin@example.com', name: 'Noor de Vries', role: 'admin' });
    assert.equal(tokens.expires_in, 3600);
  });

  it('serves userinfo at /userinfo too, where Hydra has it', async () => {
    const { access_token } = await tokensOf('viewer');
    const answer = await fetch(`${sandbox.environment.AUTH_URL}/userinfo`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    assert.equal(answer.status, 200);
    assert.equal(((await answer.json()) as { role: string }).role, 'viewer');
  });

  it('gives access tokens the lifetime it was started with', async () => {
    await sandbox.close();
    await start({ accessTokenTtlSeconds: 42 });
    assert.equal((await tokensOf('admin')).expires_in, 42);
  });

  it('asks for the password at each sign-in, whoever signed in before in this browser', async () => {
    const { browser, page } = await begin();
    const { email, password } = operator('admin');
    await browser.submit(page, { identifier: email, password });
    const again = await begin();
    const second = await browser.open(again.page.start);
    assert.match(second.body, /<h1>Sign in<\/h1>/);
    const viewer = operator('viewer');
    const landed = await browser.submit(second, { identifier: viewer.email, password: viewer.password });
    assert.ok(landed.url.startsWith(`${CALLBACK}?code=`), landed.url);
  });

  it('says so when the password is wrong, keeps the identifier and escapes it', async () => {
    const { landed } = await signIn('"><b>x', 'wrong');
    assert.match(landed.body, /role="alert"/);
    assert.match(landed.body, /value="&quot;&gt;&lt;b&gt;x"/);
  });

  it('ends in access_denied at the client when the sign-in is cancelled', async () => {
    const { browser, page } = await begin();
    const landed = await browser.submit(page, { cancel: 'true' });
    assert.equal(new URL(landed.url).searchParams.get('error'), 'access_denied');
    assert.equal(new URL(landed.url).searchParams.get('state'), 'a-state');
  });

  it('offers a new start when the interaction is not of this browser', async () => {
    const { page } = await begin();
    const stranger = await new Browser().open(page.url);
    assert.equal(stranger.status, 400);
    assert.match(stranger.body, /href="http:\/\/localhost:3000\/api\/auth\/login"/);
  });

  it('refuses a request without PKCE, and one with the plain method', async () => {
    for (const parameters of [
      { code_challenge: '', code_challenge_method: '' },
      { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' },
    ]) {
      const { page } = await begin(parameters);
      assert.equal(new URL(page.url).searchParams.get('error'), 'invalid_request');
    }
  });

  it('takes a code once', async () => {
    const { email, password } = operator('admin');
    const { verifier, landed } = await signIn(email, password);
    const checks = { pkceCodeVerifier: verifier, expectedState: 'a-state' };
    await openid.authorizationCodeGrant(client, new URL(landed.url), checks);
    await assert.rejects(openid.authorizationCodeGrant(client, new URL(landed.url), checks), {
      error: 'invalid_grant',
    });
  });

  it('keeps people, keys and tokens over a restart', async () => {
    const { access_token } = await tokensOf('admin');
    await sandbox.close();
    await start();
    const answer = await fetch(`${sandbox.environment.AUTH_URL}/oauth2/userinfo`, {
      headers: { authorization: `Bearer ${access_token}` },
    });
    assert.equal(answer.status, 200);
  });

  it('shows its pages under a policy that lets the form lead to the dashboard alone', async () => {
    const { page } = await begin();
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /form-action 'self' http:\/\/localhost:3000;/);
    assert.doesNotMatch(page.body, /style=|<style|<script/);
    const sheet = await fetch(new URL('/sandbox.css', page.url));
    assert.equal(sheet.headers.get('content-type'), 'text/css; charset=utf-8');
  });

  it('refuses to start in production', async () => {
    const options = { deployment: 'customer', dataDirectory: directory, dashboardUrl: DASHBOARD } as const;
    await assert.rejects(startSandbox({ ...options, production: true }), /does not start in production/);
  });
});

interface Landed {
  /** What was first opened. */
  start: string;
  /** Where it ended: a page of the OAuth server, or the first address outside it. */
  url: string;
  status: number;
  headers: Headers;
  body: string;
}

/** Follows redirects with cookies as a browser does, and stops where they leave the OAuth server. */
class Browser {
  readonly #cookies = new Map<string, string>();

  open(url: string): Promise<Landed> {
    return this.#walk(url, { method: 'GET' });
  }

  submit(page: Landed, fields: Record<string, string>): Promise<Landed> {
    const action = /<form method="post" action="([^"]+)"/.exec(page.body)?.[1];
    assert.ok(action, 'the page has a form');
    return this.#walk(new URL(action, page.url).href, { method: 'POST', body: new URLSearchParams(fields) });
  }

  async #walk(start: string, first: { method: string; body?: URLSearchParams }): Promise<Landed> {
    const { origin } = new URL(start);
    let url = start;
    let init = first;
    for (let step = 0; step < 10; step += 1) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(url, { ...init, redirect: 'manual', headers: { cookie } });
      for (const line of answer.headers.getSetCookie()) {
        const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=');
        if (value === '') this.#cookies.delete(name);
        else this.#cookies.set(name, value);
      }
      const location = answer.headers.get('location');
      const landed = { start, status: answer.status, headers: answer.headers, body: await answer.text() };
      if (location === null) return { ...landed, url };
      url = new URL(location, url).href;
      if (new URL(url).origin !== origin) return { ...landed, url };
      init = { method: 'GET' };
    }
    throw new Error('too many redirects');
  }
}

import assert from 'node:assert/strict';
import * as openid from 'openid-client';
import { startSandbox } from '../../server/sandbox/start-sandbox.ts';
import type { Role } from '../../shared/capabilities.ts';
import { sandboxBrowser } from '../support/sandbox-browser.ts';
import { DASHBOARD, type SandboxFixture, sandboxFixture } from '../support/sandbox-fixture.ts';
import { CALLBACK, type OpenidOracle, openidOracle } from '../support/sandbox-sign-in.ts';

describe("the sandbox's OAuth server", () => {
  let fixture: SandboxFixture;
  let oracle: OpenidOracle;

  beforeEach(async () => {
    fixture = await sandboxFixture();
    oracle = await openidOracle(fixture);
  });
  afterEach(() => fixture.close());

  const operator = (role: Role) => {
    const found = fixture.sandbox().operators.find((candidate) => candidate.role === role);
    assert.ok(found);
    return found;
  };
  const userinfo = (token: string, path = '/oauth2/userinfo') =>
    fetch(fixture.url('oauth') + path, { headers: { authorization: `Bearer ${token}` } });

  it('signs an operator in by code and PKCE, and tells role, traits and e-mail in userinfo', async () => {
    const tokens = await oracle.tokensOf('admin');
    const claims = await openid.fetchUserInfo(oracle.configuration, tokens.access_token, tokens.claims()?.sub ?? '');
    assert.equal(claims.email, 'admin@example.com');
    assert.equal(claims.email_verified, true);
    assert.equal(claims.role, 'admin');
    assert.deepEqual(claims.traits, { email: 'admin@example.com', name: 'Noor de Vries', role: 'admin' });
    assert.equal(tokens.expires_in, 3600);
  });

  it('serves userinfo at /userinfo too, where Hydra has it', async () => {
    const { access_token } = await oracle.tokensOf('viewer');
    const answer = await userinfo(access_token, '/userinfo');
    assert.equal(answer.status, 200);
    assert.equal(((await answer.json()) as { role: string }).role, 'viewer');
  });

  it('gives access tokens the lifetime it was started with', async () => {
    await fixture.restart({ accessTokenTtlSeconds: 42 });
    oracle = await openidOracle(fixture);
    assert.equal((await oracle.tokensOf('admin')).expires_in, 42);
  });

  it('asks for the password at each sign-in, whoever signed in before in this browser', async () => {
    const browser = sandboxBrowser();
    const admin = operator('admin');
    await oracle.signIn(admin.email, admin.password, browser);
    const { page } = await oracle.begin({}, browser);
    assert.match(page.body, /<h1>Sign in<\/h1>/);
    const viewer = operator('viewer');
    const landed = await browser.submit(page, { identifier: viewer.email, password: viewer.password });
    assert.ok(landed.url.startsWith(`${CALLBACK}?code=`), landed.url);
  });

  it('asks for the password with prompt=login as well', async () => {
    const { page } = await oracle.begin({ prompt: 'login' });
    assert.match(page.body, /<h1>Sign in<\/h1>/);
  });

  it('keeps two sign-ins apart that are under way in one browser', async () => {
    const browser = sandboxBrowser();
    const [first, second] = [await oracle.begin({}, browser), await oracle.begin({}, browser)];
    for (const [{ verifier, page }, { email, password }] of [
      [first, operator('admin')],
      [second, operator('viewer')],
    ] as const) {
      const landed = await browser.submit(page, { identifier: email, password });
      assert.ok((await oracle.exchange({ verifier, landed })).access_token);
    }
  });

  it('says so when the password is wrong, keeps the identifier and escapes it', async () => {
    const { landed } = await oracle.signIn('"><b>x', 'wrong');
    assert.match(landed.body, /role="alert"/);
    assert.match(landed.body, /value="&quot;&gt;&lt;b&gt;x"/);
  });

  it('ends in access_denied at the client when the sign-in is cancelled', async () => {
    const { browser, page } = await oracle.begin();
    const landed = new URL((await browser.submit(page, { cancel: 'true' })).url);
    assert.equal(landed.searchParams.get('error'), 'access_denied');
    assert.equal(landed.searchParams.get('state'), 'a-state');
  });

  it('offers a new start when the sign-in is not of this browser', async () => {
    const { page } = await oracle.begin();
    const again = await sandboxBrowser().open(page.url);
    assert.equal(again.status, 400);
    assert.match(again.body, /href="http:\/\/localhost:3000\/api\/auth\/login"/);
  });

  it('redirects from a finished sign-in to the dashboard, and does not accept it twice', async () => {
    const { browser, page } = await oracle.begin();
    const { email, password } = operator('admin');
    await browser.submit(page, { identifier: email, password });
    const again = await fetch(page.url, { redirect: 'manual' });
    assert.equal(again.status, 302);
    assert.equal(again.headers.get('location'), 'http://localhost:3000/dashboard');
    const posted = await fetch(page.url, {
      method: 'POST',
      body: new URLSearchParams({ identifier: email, password }),
    });
    assert.equal(posted.status, 400);
  });

  it('refuses a request without PKCE, and one with the plain method', async () => {
    for (const parameters of [
      { code_challenge: '', code_challenge_method: '' },
      { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' },
    ]) {
      const { page } = await oracle.begin(parameters);
      assert.equal(new URL(page.url).searchParams.get('error'), 'invalid_request');
    }
  });

  it('shows a page, and redirects nowhere, when the client or its address is unknown', async () => {
    for (const [name, value] of [
      ['client_id', 'stranger'],
      ['redirect_uri', 'https://elsewhere.example/'],
    ] as const) {
      const { page } = await oracle.begin({ [name]: value });
      assert.equal(page.status, 400);
      assert.match(page.body, /<h1>Start again<\/h1>/);
    }
  });

  it('takes a code once', async () => {
    const { email, password } = operator('admin');
    const signedIn = await oracle.signIn(email, password);
    await oracle.exchange(signedIn);
    await assert.rejects(oracle.exchange(signedIn), { error: 'invalid_grant' });
  });

  it('keeps people, keys and tokens over a restart', async () => {
    const { access_token } = await oracle.tokensOf('admin');
    await fixture.restart();
    assert.equal((await userinfo(access_token)).status, 200);
  });

  it('refuses the tokens of an identity that is deactivated or deleted', async () => {
    for (const [role, method, body] of [
      ['admin', 'PATCH', [{ op: 'replace', path: '/state', value: 'inactive' }]],
      ['viewer', 'DELETE', undefined],
    ] as const) {
      const tokens = await oracle.tokensOf(role);
      await fixture.admin(method, `/admin/identities/${tokens.claims()?.sub}`, body);
      assert.equal((await userinfo(tokens.access_token)).status, 401);
    }
  });

  it('shows its pages under a policy that lets the form lead to the dashboard alone', async () => {
    const { page } = await oracle.begin();
    const policy = page.headers.get('content-security-policy') ?? '';
    assert.match(policy, /default-src 'none'/);
    assert.match(policy, /form-action 'self' http:\/\/localhost:3000;/);
    assert.doesNotMatch(page.body, /style=|<style|<script/);
    const sheet = await fetch(new URL('/sandbox.css', page.url));
    assert.equal(sheet.headers.get('content-type'), 'text/css; charset=utf-8');
  });

  it('returns to the workforce dashboard on a host name of its own', async () => {
    const workforce = await sandboxFixture({
      deployment: 'workforce',
      dashboardUrl: 'http://workforce.localhost:4000',
    });
    try {
      const theirs = await openidOracle(workforce);
      const { page } = await theirs.begin({ redirect_uri: 'http://workforce.localhost:4000/api/auth/callback' });
      assert.match(page.body, /Workforce identity · sandbox/);
      assert.match(
        page.headers.get('content-security-policy') ?? '',
        /form-action 'self' http:\/\/workforce\.localhost:4000;/,
      );
    } finally {
      await workforce.close();
    }
  });

  it('refuses to start in production', async () => {
    const options = { deployment: 'customer', dataDirectory: fixture.directory, dashboardUrl: DASHBOARD } as const;
    await assert.rejects(startSandbox({ ...options, production: true }), /does not start in production/);
  });
});

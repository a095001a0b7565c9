import assert from 'node:assert/strict';
import * as openid from 'openid-client';
import type { Role } from '../../shared/capabilities.ts';
import { sandboxBrowser } from '../support/sandbox-browser.ts';
import {
  DASHBOARD,
  type OpenidOracle,
  openidOracle,
  type SandboxFixture,
  sandboxFixture,
} from '../support/sandbox-fixture.ts';

interface ClientAnswer {
  client_secret?: string;
  redirect_uris: string[];
}

/** What no recording of a real server shows: its own sign-in page, its clock, its start, and secrets of clients. */
describe("the sandbox's OAuth server", () => {
  let fixture: SandboxFixture;
  let oracle: OpenidOracle;
  let now: number;

  beforeEach(async () => {
    now = Date.now();
    fixture = await sandboxFixture({ now: () => now });
    oracle = await openidOracle(fixture);
  });
  afterEach(() => fixture.close());

  const operator = (role: Role) =>
    fixture.sandbox().operators.find((candidate) => candidate.role === role) ?? assert.fail();
  const userinfo = (token: string) =>
    fetch(`${fixture.url('oauth')}/oauth2/userinfo`, { headers: { authorization: `Bearer ${token}` } });

  describe('sign-ins', () => {
    it('are by code and PKCE; userinfo has role, traits and e-mail; a code is accepted once', async () => {
      const { email, password } = operator('admin');
      const signedIn = await oracle.signIn(email, password);
      const tokens = await oracle.exchange(signedIn);
      const claims = await openid.fetchUserInfo(oracle.configuration, tokens.access_token, tokens.claims()?.sub ?? '');
      assert.deepEqual([claims.email, claims.email_verified, claims.role], [email, true, 'admin']);
      assert.deepEqual(claims.traits, { email, name: 'Noor de Vries', role: 'admin' });
      await assert.rejects(oracle.exchange(signedIn), { error: 'invalid_grant' });
    });

    it('of two operators in one browser do not disturb each other', async () => {
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

    it('with a wrong password say so, and escape the identifier', async () => {
      const { landed } = await oracle.signIn('"><b>x', 'wrong');
      assert.match(landed.body, /role="alert"/);
      assert.match(landed.body, /value="&quot;&gt;&lt;b&gt;x"/);
    });

    it('that are cancelled return to the dashboard with access_denied', async () => {
      const { browser, page } = await oracle.begin();
      const landed = new URL((await browser.submit(page, { cancel: 'true' })).url);
      assert.deepEqual(
        [landed.searchParams.get('error'), landed.searchParams.get('state')],
        ['access_denied', 'a-state'],
      );
    });

    it('of another browser get a link to start again, and finished ones lead to the dashboard', async () => {
      const { browser, page } = await oracle.begin();
      const foreign = await sandboxBrowser().open(page.url);
      assert.equal(foreign.status, 400);
      assert.match(foreign.body, /href="http:\/\/localhost:3000\/api\/auth\/login"/);
      const { email, password } = operator('admin');
      await browser.submit(page, { identifier: email, password });
      const again = await fetch(page.url, { redirect: 'manual' });
      assert.equal(again.headers.get('location'), `${DASHBOARD}/dashboard`);
    });

    it('are on a page whose policy lets the form lead to the dashboard alone', async () => {
      const { page } = await oracle.begin();
      const policy = page.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'/);
      assert.match(policy, /form-action 'self' http:\/\/localhost:3000;/);
      assert.doesNotMatch(page.body, /style=|<style|<script/);
    });
  });

  it('refuses a request without PKCE, and redirects to no unknown address', async () => {
    const { page } = await oracle.begin({ code_challenge: '', code_challenge_method: '' });
    assert.equal(new URL(page.url).searchParams.get('error'), 'invalid_request');
    const elsewhere = await oracle.begin({ redirect_uri: 'https://elsewhere.example/' });
    assert.equal(elsewhere.page.status, 400);
  });

  it('keeps people, keys and tokens over a restart', async () => {
    const { access_token } = await oracle.tokensOf('admin');
    await fixture.restart();
    assert.equal((await userinfo(access_token)).status, 200);
  });

  it('refuses tokens that expired, and those of an identity that is deactivated or deleted', async () => {
    const expired = await oracle.tokensOf('admin');
    now += 3_600_000;
    assert.equal((await userinfo(expired.access_token)).status, 401);
    for (const [role, method, body] of [
      ['admin', 'PATCH', [{ op: 'replace', path: '/state', value: 'inactive' }]],
      ['viewer', 'DELETE', undefined],
    ] as const) {
      const tokens = await oracle.tokensOf(role);
      await fixture.admin(method, `/admin/identities/${tokens.claims()?.sub}`, body);
      assert.equal((await userinfo(tokens.access_token)).status, 401);
    }
  });

  it('knows the dashboard’s client again at the next start, at a second address too', async () => {
    assert.equal((await fixture.admin('DELETE', '/admin/clients/dashboard')).status, 204);
    await fixture.restart();
    await fixture.restart({ dashboardUrl: 'http://localhost:3001' });
    const { json } = await fixture.admin<ClientAnswer>('GET', '/admin/clients/dashboard');
    assert.deepEqual(json.redirect_uris, [`${DASHBOARD}/api/auth/callback`, 'http://localhost:3001/api/auth/callback']);
  });

  it('shows a client’s secret once; a patch replaces it, and other changes keep it', async () => {
    const works = async (secret: string): Promise<boolean> => {
      const basic = ['worker', secret].map(encodeURIComponent).join(':');
      const answer = await fetch(`${fixture.url('oauth')}/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(basic).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
      return answer.status === 200;
    };
    const patch = (path: string, value: unknown) =>
      fixture.admin<ClientAnswer>('PATCH', '/admin/clients/worker', [{ op: 'replace', path, value }]);
    const worker = { client_id: 'worker', grant_types: ['client_credentials'] };
    const { client_secret: first = '' } = (await fixture.admin<ClientAnswer>('POST', '/admin/clients', worker)).json;
    await patch('/owner', 'ops');
    await fixture.admin('PUT', '/admin/clients/worker', worker);
    assert.equal((await fixture.admin<ClientAnswer>('GET', '/admin/clients/worker')).json.client_secret, undefined);
    assert.equal(await works(first), true);
    assert.equal((await patch('/client_secret', '12345')).status, 400);
    assert.equal((await patch('/client_secret', 'the-second:%+secret')).json.client_secret, 'the-second:%+secret');
    assert.deepEqual([await works(first), await works('the-second:%+secret')], [false, true]);
  });
});

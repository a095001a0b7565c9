import assert from 'node:assert/strict';
import * as openid from 'openid-client';
import { sandboxBrowser } from '../support/sandbox-browser.ts';
import { type SandboxFixture, sandboxFixture } from '../support/sandbox-fixture.ts';

const CONSENTS = '/admin/oauth2/auth/sessions/consent';
const RETURN = 'https://app.example/callback';

interface ConsentAnswer {
  consent_request_id: string;
  grant_scope: string[];
  consent_request: { subject: string; client: { client_id: string }; request_url: string };
}
interface Worth {
  active: boolean;
  sub?: string;
  client_id?: string;
  scope?: string;
  token_use?: string;
}

describe("the sandbox's consents and tokens", () => {
  let fixture: SandboxFixture;
  let now: number;
  beforeEach(async () => {
    now = Date.now();
    fixture = await sandboxFixture({ now: () => now });
    for (const client_id of ['app', 'other'])
      await fixture.admin('POST', '/admin/clients', {
        client_id,
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        redirect_uris: [RETURN],
        scope: 'openid offline_access email tickets:read',
        token_endpoint_auth_method: 'none',
      });
  });
  afterEach(() => fixture.close());

  /** Signs the viewer in to a client; openid-client checks PKCE, state, and the id token with its signature. */
  const signIn = async (clientId: string, scope = 'openid offline_access email') => {
    const execute = [openid.allowInsecureRequests];
    const configuration = await openid.discovery(new URL(fixture.url('oauth')), clientId, undefined, openid.None(), {
      execute,
    });
    const verifier = openid.randomPKCECodeVerifier();
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: RETURN,
      scope,
      state: 'a-long-enough-state',
      nonce: 'a-nonce',
      request_url: 'not for the request to say',
      code_challenge: await openid.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    const browser = sandboxBrowser();
    const page = await browser.open(url.href);
    const landed = await browser.submit(page, { identifier: 'viewer@example.com', password: 'sandbox-viewer' });
    const checks = { pkceCodeVerifier: verifier, expectedState: 'a-long-enough-state', expectedNonce: 'a-nonce' };
    const tokens = await openid.authorizationCodeGrant(configuration, new URL(landed.url), checks);
    const { access_token: access, refresh_token: refresh = '' } = tokens;
    return { access, refresh, subject: tokens.claims()?.sub ?? '', configuration, returned: new URL(landed.url) };
  };
  const worth = async (token: string): Promise<Worth> => {
    const answer = await fetch(`${fixture.url('oauthAdmin')}/admin/oauth2/introspect`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
    });
    return (await answer.json()) as Worth;
  };
  const active = async (...tokens: string[]) => (await Promise.all(tokens.map(worth))).map((found) => found.active);
  const consents = async (subject: string, more = '') =>
    (await fixture.admin<ConsentAnswer[]>('GET', `${CONSENTS}?subject=${subject}${more}`)).json;
  const end = (query: string) => fixture.admin('DELETE', `${CONSENTS}?${query}`);
  const revoke = (token: string, fields: Record<string, string>) =>
    fetch(`${fixture.url('oauth')}/oauth2/revoke`, { method: 'POST', body: new URLSearchParams({ token, ...fields }) });

  it('come with each sign-in: who granted what to whom, and what the token is worth', async () => {
    const { access, refresh, subject, returned } = await signIn('app', 'openid offline_access tickets:read shoes:buy');
    const [consent, ...more] = await consents(subject);
    assert.equal(more.length, 0);
    assert.deepEqual(consent?.grant_scope, ['openid', 'offline_access', 'tickets:read'], 'what the client may ask for');
    assert.equal(consent?.consent_request.client.client_id, 'app');
    assert.match(consent?.consent_request.request_url ?? '', /\/oauth2\/auth\?.*client_id=app/);
    assert.deepEqual([...returned.searchParams.keys()], ['code', 'scope', 'state'], 'as Hydra returns, without iss');
    const { sub, client_id, scope, token_use } = await worth(access);
    assert.deepEqual(
      [sub, client_id, scope, token_use],
      [subject, 'app', 'openid offline_access tickets:read', 'access_token'],
    );
    assert.equal((await worth(refresh)).token_use, 'refresh_token');
  });

  it('take their tokens along when one ends by its id, and leave the other', async () => {
    const [first, second] = [await signIn('app'), await signIn('app')];
    const before = await consents(first.subject);
    assert.equal(before.length, 2);
    assert.equal((await end(`consent_request_id=${before[0]?.consent_request_id}`)).status, 204);
    const tokens = [first.access, first.refresh, second.access, second.refresh];
    const left = await active(...tokens);
    assert.deepEqual([left.filter(Boolean).length, left[0] === left[1], left[2] === left[3]], [2, true, true]);
    assert.deepEqual(
      (await consents(first.subject)).map((consent) => consent.consent_request_id),
      [before[1]?.consent_request_id],
    );
  });

  it('end for one client, or for all of them', async () => {
    const [app, other] = [await signIn('app'), await signIn('other')];
    await end(`subject=${app.subject}&client=app`);
    assert.deepEqual(await active(app.access, app.refresh, other.access), [false, false, true]);
    await end(`subject=${app.subject}&all=true`);
    assert.deepEqual(await active(other.access, other.refresh), [false, false]);
    assert.deepEqual(await consents(app.subject), []);
  });

  it('die with their client', async () => {
    const [app, other] = [await signIn('app'), await signIn('other')];
    await fixture.admin('DELETE', '/admin/clients/app');
    assert.deepEqual(await active(app.access, app.refresh, other.access), [false, false, true]);
    assert.equal((await consents(app.subject)).length, 1);
  });

  it('outlive a change of the client', async () => {
    const { access, subject } = await signIn('app');
    await fixture.admin('PATCH', '/admin/clients/app', [{ op: 'replace', path: '/owner', value: 'someone' }]);
    assert.deepEqual(await active(access), [true]);
    assert.equal((await consents(subject)).length, 1);
  });

  it('page through in sealed steps, each once', async () => {
    const subject = (await signIn('app')).subject;
    for (let turn = 0; turn < 4; turn += 1) await signIn('app');
    const seen: string[] = [];
    let path = `${CONSENTS}?subject=${subject}&page_size=2`;
    while (path !== '') {
      const { json, headers } = await fixture.admin<ConsentAnswer[]>('GET', path);
      seen.push(...json.map((consent) => consent.consent_request_id));
      path = /<([^>]+)>; rel="next"/.exec(headers.get('link') ?? '')?.[1] ?? '';
    }
    assert.deepEqual([seen.length, new Set(seen).size], [5, 5]);
  });

  it("lose a client's access tokens and keep the refresh tokens", async () => {
    const { access, refresh } = await signIn('app');
    assert.equal((await fixture.admin('DELETE', '/admin/oauth2/tokens?client_id=app')).status, 204);
    assert.deepEqual(await active(access, refresh), [false, true]);
  });

  it('outlive the end of login sessions', async () => {
    const { access, subject } = await signIn('app');
    assert.equal((await fixture.admin('DELETE', `/admin/oauth2/auth/sessions/login?subject=${subject}`)).status, 204);
    assert.deepEqual(await active(access), [true]);
  });

  it('lose a token that its public client revokes, and its siblings with it; the consent stays', async () => {
    const { access, refresh, subject } = await signIn('app');
    await revoke(access, { client_id: 'other' });
    assert.deepEqual(await active(access), [true], "not another client's to revoke");
    assert.equal((await revoke(access, { client_id: 'app' })).status, 200);
    assert.deepEqual(await active(access, refresh), [false, false]);
    assert.equal((await consents(subject)).length, 1);
  });

  it('lose a token of a confidential client only by its secret', async () => {
    await fixture.admin('POST', '/admin/clients', {
      client_id: 'worker',
      client_secret: 'a-long-secret',
      grant_types: ['client_credentials'],
      token_endpoint_auth_method: 'client_secret_post',
    });
    const answer = await fetch(`${fixture.url('oauth')}/oauth2/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'client_credentials',
        client_id: 'worker',
        client_secret: 'a-long-secret',
      }),
    });
    const { access_token } = (await answer.json()) as { access_token: string };
    assert.deepEqual([(await worth(access_token)).sub], ['worker']);
    for (const fields of [{ client_id: 'worker' }, { client_id: 'worker', client_secret: 'another' }] as Record<
      string,
      string
    >[])
      assert.equal((await revoke(access_token, fields)).status, 401);
    assert.deepEqual(await active(access_token), [true]);
    await revoke(access_token, { client_id: 'worker', client_secret: 'a-long-secret' });
    assert.deepEqual(await active(access_token), [false]);
  });

  it('are refreshed without a nonce, which invalidates the old ones; reusing an old one invalidates all', async () => {
    const { access, refresh, configuration } = await signIn('app');
    const renewed = await openid.refreshTokenGrant(configuration, refresh);
    assert.deepEqual(await active(access, refresh, renewed.access_token), [false, false, true]);
    await assert.rejects(openid.refreshTokenGrant(configuration, refresh), { error: 'invalid_grant' });
    assert.deepEqual(await active(renewed.access_token, renewed.refresh_token ?? ''), [false, false]);
  });

  it('are invalid once expired', async () => {
    const { access, refresh } = await signIn('app');
    now += 3_600_000;
    assert.deepEqual(await active(access, refresh), [false, true]);
    now += 31 * 86_400_000;
    assert.deepEqual(await active(refresh), [false]);
  });

  it('last as long as the client is registered for', async () => {
    await fixture.admin('PUT', '/admin/clients/app/lifespans', {
      authorization_code_grant_access_token_lifespan: '1m',
    });
    const { access } = await signIn('app');
    now += 59_000;
    assert.deepEqual(await active(access), [true]);
    now += 1000;
    assert.deepEqual(await active(access), [false]);
  });

  it('leave no usable code behind', async () => {
    const { subject, returned, configuration } = await signIn('app');
    await end(`subject=${subject}&all=true`);
    await assert.rejects(
      openid.genericGrantRequest(configuration, 'authorization_code', {
        code: returned.searchParams.get('code') ?? '',
        redirect_uri: RETURN,
      }),
      { error: 'invalid_grant' },
    );
  });
});

import * as openid from 'openid-client';
import type { Role } from '../../shared/capabilities.ts';
import type { InterceptedDashboard } from './intercepted-dashboard.ts';
import { createClient } from './oauth-client-pages.ts';
import { sandboxBrowser } from './sandbox-browser.ts';

const RETURN = 'https://app.example/callback';

/** A public client that people can sign in to. */
export async function consentClient(intercepted: InterceptedDashboard, client_name: string): Promise<string> {
  const { client_id } = await createClient(intercepted, {
    client_name,
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: [RETURN],
    scope: 'openid offline_access email',
    token_endpoint_auth_method: 'none',
  });
  return client_id;
}

/** Signs an operator in to a client, which leaves one consent. */
export async function consentTo(
  { dashboard }: InterceptedDashboard,
  clientId: string,
  role: Role,
): Promise<{ subject: string; access: string }> {
  const { email, password } = dashboard.operator(role);
  const configuration = await openid.discovery(
    new URL(dashboard.sandbox.environment.OAUTH_URL ?? ''),
    clientId,
    undefined,
    openid.None(),
    { execute: [openid.allowInsecureRequests] },
  );
  const verifier = openid.randomPKCECodeVerifier();
  const url = openid.buildAuthorizationUrl(configuration, {
    redirect_uri: RETURN,
    scope: 'openid offline_access email',
    state: 'a-long-enough-state',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const browser = sandboxBrowser();
  const landed = await browser.submit(await browser.open(url.href), { identifier: email, password });
  const tokens = await openid.authorizationCodeGrant(configuration, new URL(landed.url), {
    pkceCodeVerifier: verifier,
    expectedState: 'a-long-enough-state',
  });
  return { subject: tokens.claims()?.sub ?? '', access: tokens.access_token };
}

/** Past the dashboard: which of these tokens are worth something. */
export async function activeOf({ dashboard }: InterceptedDashboard, tokens: readonly string[]): Promise<boolean[]> {
  const worth = tokens.map(async (token) => {
    const answer = await fetch(`${dashboard.sandbox.environment.OAUTH_ADMIN_URL}/admin/oauth2/introspect`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
    });
    return ((await answer.json()) as { active: boolean }).active;
  });
  return Promise.all(worth);
}

/** A consent as the OAuth server lists it. */
export const listedConsent = (
  consent_request_id: string,
  { at = '2026-01-01T00:00:00Z', client = 'app', name = 'App', scopes = ['openid'] } = {},
): Record<string, unknown> => ({
  consent_request_id,
  grant_scope: scopes,
  grant_access_token_audience: [],
  session: { access_token: {}, id_token: { email: 'not-shown@example.org' } },
  remember: false,
  remember_for: 0,
  handled_at: at,
  consent_request: { client: { client_id: client, client_name: name }, subject: 'somebody', amr: null },
});

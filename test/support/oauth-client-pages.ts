import assert from 'node:assert/strict';
import * as openid from 'openid-client';
import type { Page } from 'playwright-core';
import type { Role } from '../../shared/capabilities.ts';
import type { App } from './app-in-dom.tsx';
import type { InterceptedDashboard } from './intercepted-dashboard.ts';
import { sandboxBrowser } from './sandbox-browser.ts';

export const CLIENTS_PATH = '/api/oauth-admin/admin/clients';

/** A client as Hydra returns it. */
export interface StoredClient {
  client_id: string;
  client_name: string;
  client_secret?: string;
  [member: string]: unknown;
}

let count = 0;

/** Creates a client through the dashboard. */
export async function createClient({ call }: InterceptedDashboard, members: object = {}): Promise<StoredClient> {
  count += 1;
  const response = await call(CLIENTS_PATH, {
    json: {
      client_id: `client-${count}`,
      client_name: `Client ${count}`,
      owner: 'tests',
      grant_types: ['authorization_code'],
      response_types: ['code'],
      redirect_uris: ['https://client.example/cb'],
      scope: 'openid',
      metadata: { kept: [1, { deep: null }], 'odd/key~with': true },
      refresh_token_grant_refresh_token_lifespan: '720h',
      ...members,
    },
  });
  assert.equal(response.status, 201, await response.clone().text());
  return (await response.json()) as StoredClient;
}

export const requestClient = ({ call }: InterceptedDashboard, id: string): Promise<Response> =>
  call(`${CLIENTS_PATH}/${encodeURIComponent(id)}`);

export const storedClient = async (intercepted: InterceptedDashboard, id: string): Promise<StoredClient> =>
  (await (await requestClient(intercepted, id)).json()) as StoredClient;

/** Changes a client while its page is open. */
export async function patchClient({ call }: InterceptedDashboard, id: string, operations: object[]): Promise<void> {
  const response = await call(`${CLIENTS_PATH}/${encodeURIComponent(id)}`, {
    method: 'PATCH',
    json: operations,
  });
  assert.equal(response.status, 200);
}

export const sentPatches = ({ upstream }: InterceptedDashboard): { op: string; path: string; value: unknown }[][] =>
  upstream.requests.filter(({ method }) => method === 'PATCH').map(({ body }) => JSON.parse(body));

/** Clicks a button by its text, because a query by role examines every field of the form, which is slow. */
export const clickText = async (app: App, text: string): Promise<void> =>
  app.user.click((await app.shows(text)).closest('button') ?? assert.fail(`${text} is no button`));

export const save = (page: Page): Promise<void> => page.getByRole('button', { name: 'Save', exact: true }).click();

/** Everything that a browser stores for longer than a page, and the address, as one text. */
export const storedByBrowser = (page: Page): Promise<string> =>
  page.evaluate(async () =>
    JSON.stringify([
      { ...localStorage },
      { ...sessionStorage },
      location.href,
      history.state,
      document.cookie,
      document.title,
      await indexedDB.databases(),
      await caches?.keys(),
    ]),
  );

const REDIRECT_URI = 'https://app.example/callback';

/** A public client that people can sign in to. */
export async function createConsentClient(intercepted: InterceptedDashboard, client_name: string): Promise<string> {
  const { client_id } = await createClient(intercepted, {
    client_name,
    grant_types: ['authorization_code', 'refresh_token'],
    redirect_uris: [REDIRECT_URI],
    scope: 'openid offline_access email',
    token_endpoint_auth_method: 'none',
  });
  return client_id;
}

/** Signs an operator in to a client, which creates a consent. */
export async function giveConsent(
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
    redirect_uri: REDIRECT_URI,
    scope: 'openid offline_access email',
    state: 'a-long-enough-state',
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  });
  const browser = sandboxBrowser();
  const callback = await browser.submit(await browser.open(url.href), { identifier: email, password });
  const tokens = await openid.authorizationCodeGrant(configuration, new URL(callback.url), {
    pkceCodeVerifier: verifier,
    expectedState: 'a-long-enough-state',
  });
  return { subject: tokens.claims()?.sub ?? '', access: tokens.access_token };
}

/** Whether each of these tokens is active, according to the OAuth server itself. */
export async function areActive({ dashboard }: InterceptedDashboard, tokens: readonly string[]): Promise<boolean[]> {
  const states = tokens.map(async (token) => {
    const response = await fetch(`${dashboard.sandbox.environment.OAUTH_ADMIN_URL}/admin/oauth2/introspect`, {
      method: 'POST',
      body: new URLSearchParams({ token }),
    });
    return ((await response.json()) as { active: boolean }).active;
  });
  return Promise.all(states);
}

/** A consent as Hydra lists it. */
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

import { createHash, randomBytes } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { type JsonObject, membersOf, text, texts } from '../../shared/json.ts';
import { discoveryAddress } from '../../shared/upstreams.ts';
import { cachedByKey } from '../caches.ts';
import type { Config, OAuthServer } from '../config/config.ts';
import { authorizationPath, callbackOf, dashboardClient, SCOPES } from '../registration.ts';
import { adminClient } from '../upstream/admin-client.ts';
import { UpstreamFailure } from '../upstream/failure.ts';
import type { UpstreamResponse } from '../upstream/fetch.ts';
import { type CheckSources, type Checks, critical, type Finding, fail, pass, unknown, warn, worst } from './check.ts';
import { openidProvider, registration } from './openid-provider.ts';
import {
  API_TIMEOUT_MS,
  causeOf,
  jsonIn,
  namedApi,
  OAUTH_ADMIN,
  outcome,
  type Reply,
  responseFrom,
  unusable,
} from './upstreams.ts';

const CLOCK_WARN_SECONDS = 5;
const CLOCK_FAIL_SECONDS = 60;
/** Earlier releases of Hydra store every sign-in that begins: after a pass, none begins for this time. */
const REMEMBER_MS = 10 * 60_000;

/**
 * Checks whether operators can sign in: the OAuth 2.0 server, the sign-in page, the dashboard's client, the clocks; or
 * the OpenID provider.
 */
export function signInChecks({ config, signInApi, clock }: Pick<CheckSources, 'config' | 'signInApi' | 'clock'>) {
  const { provider } = config.auth;
  const [server, openid] = provider.kind === 'oauth2' ? [provider] : [undefined, provider];
  const name = server ? 'OAuth server' : 'OpenID provider';
  const title = server ? 'The OAuth 2.0 server' : 'The OpenID provider';
  const pages = cachedByKey<Finding>({ max: 1, ms: REMEMBER_MS, monotonic: clock.monotonic });
  const isPass = ({ status }: Finding): boolean => status === 'pass';
  const discoveryUrl = discoveryAddress(server ? server.internalUrl : openid.issuer);
  return {
    oauth_server: {
      title,
      why: 'Operators can sign in only through it.',
      look: () => (server ? oauthServer(server) : openidProvider(openid)),
    },
    sign_in_page: server && {
      title: 'The sign-in page',
      why: 'The OAuth 2.0 server has none of its own: it redirects browsers to the address in its configuration.',
      look: () => pages.get('', () => signInPage(config, server), isPass),
    },
    oauth_client: server && {
      title: 'The dashboard’s OAuth client',
      why: 'A client with other redirect URIs, or with an unused secret, gives an attacker another way to the authorization code.',
      needs: 'OAuth admin key',
      look: () => oauthClient(config, signInApi),
    },
    clock: {
      title: 'Clock',
      why: 'This machine’s clock decides when sessions expire and dates the audit records.',
      look: async () => {
        const start = clock.now();
        const response = await responseFrom(discoveryUrl, {}, API_TIMEOUT_MS);
        if (response.failure) return unknown(`The ${name} does not respond.`, `See “${title}”.`);
        const serverTime = Date.parse(response.headers.date ?? '');
        if (Number.isNaN(serverTime))
          return unknown(`The ${name} does not report its time.`, 'Compare the clocks manually.');
        // The header is truncated to the second and was written at some point between request and response.
        const seconds = Math.round(Math.abs((start + clock.now()) / 2 - serverTime - 500) / 1000);
        const detail = `This clock and the ${name}’s differ by ${seconds} s.`;
        if (seconds <= CLOCK_WARN_SECONDS) return pass(detail);
        return (seconds > CLOCK_FAIL_SECONDS ? fail : warn)(detail, 'Synchronise both clocks with NTP.');
      },
    },
    // Hydra redirects to its sign-in page even without a challenge, and refuses the request only after the consent.
    pkce: server && {
      title: 'PKCE is required',
      why: 'Without it, anyone who intercepts an authorization code can use it.',
      look: () =>
        unknown(
          'Whether the OAuth 2.0 server requires it cannot be checked without changing something.',
          'Set oauth2.pkce.enforced_for_public_clients: true in the configuration of Hydra.',
        ),
    },
    registration: openid && {
      title: 'The dashboard’s client at the provider',
      why: 'The provider redirects browsers only to addresses that are registered there.',
      look: () =>
        unknown(
          'No provider says what is registered.',
          `Compare it there. ${registration(config, openid).join('. ')}.`,
        ),
    },
  } satisfies Checks;
}

async function oauthClient({ auth, baseUrl }: Config, signInApi: CheckSources['signInApi']): Promise<Finding> {
  const api = namedApi(auth.oauthAdmin, OAUTH_ADMIN);
  const path = `/admin/clients/${encodeURIComponent(auth.clientId)}`;
  try {
    const { body } = await adminClient(signInApi).get(path, {}, { timeoutMs: API_TIMEOUT_MS });
    const deviations = clientDeviations(membersOf(body), dashboardClient(auth.clientId, baseUrl));
    const findings = deviations.map(({ finding }) => finding ?? false);
    return worst(findings, pass('It is configured correctly.'));
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    if (error.response?.status === 404)
      return critical(
        'The OAuth server’s admin API has no such client.',
        `Create it, or compare OAUTH_CLIENT_ID and ${api.urlVariable} with that server.`,
        'node dist/server/main.js setup --yes',
      );
    // “API keys of the services” reports what is wrong with the key.
    if (error.kind === 'refuses_key' || error.kind === 'key_unreadable')
      return unknown(`Not checked: there is no key that ${OAUTH_ADMIN} accepts.`, 'See “API keys of the services”.');
    const [detail, action] = causeOf(error, api);
    return unknown(detail, `${action} Or compare the client with docs/connect.md.`);
  }
}

/**
 * The members of the dashboard's client that differ from what `setup` creates. Missing permissions break sign-in;
 * unneeded ones increase the attack surface; those without a finding are harmless.
 */
export function clientDeviations(client: JsonObject, wanted: ReturnType<typeof dashboardClient>) {
  const [callback] = wanted.redirect_uris;
  const redirects = texts(client['redirect_uris']);
  const grants = texts(client['grant_types']);
  const scopes = String(client['scope'] ?? '').split(' ');
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));
  const rules: [member: string, isBroken: boolean, finding?: Finding][] = [
    [
      'token_endpoint_auth_method',
      client['token_endpoint_auth_method'] !== 'none',
      critical('It is not a public client.', 'Set token_endpoint_auth_method to none.'),
    ],
    [
      'redirect_uris',
      !redirects.some((uri) => uri === callback),
      critical('It is not allowed to redirect to this dashboard.', 'Add BASE_URL/api/auth/callback to redirect_uris.'),
    ],
    [
      'redirect_uris',
      redirects.some((uri) => uri !== callback),
      warn('It may also redirect to other addresses.', 'Leave only BASE_URL/api/auth/callback in redirect_uris.'),
    ],
    [
      'grant_types',
      !grants.includes('authorization_code'),
      critical('It is not allowed to use authorization codes.', 'Set grant_types to authorization_code.'),
    ],
    [
      'grant_types',
      grants.some((grant) => grant !== 'authorization_code'),
      warn('It may use grants other than authorization codes.', 'Set grant_types to authorization_code only.'),
    ],
    [
      'response_types',
      texts(client['response_types']).join() !== 'code',
      warn('It may request response types other than code.', 'Set response_types to code only.'),
    ],
    ['scope', missing.length > 0, critical(`It lacks ${missing.join(' and ')}.`, `Set scope to ${SCOPES.join(' ')}.`)],
    [
      'userinfo_signed_response_alg',
      !['none', '', undefined].some((alg) => alg === client['userinfo_signed_response_alg']),
      critical(
        'Its userinfo responses are signed, which the dashboard cannot read.',
        'Set userinfo_signed_response_alg to none.',
      ),
    ],
    ...(['post_logout_redirect_uris', 'skip_consent', 'skip_logout_consent'] as const).map(
      (member): [string, boolean] => [member, !isDeepStrictEqual(client[member], wanted[member])],
    ),
  ];
  return rules.flatMap(([member, isBroken, finding]) => (isBroken ? [{ member, finding }] : []));
}

/** Checks that browsers and this service reach the same OAuth 2.0 server. */
async function oauthServer({ url, internalUrl }: OAuthServer): Promise<Finding> {
  const metadataOf = (base: string) => responseFrom(discoveryAddress(base));
  const [asBrowsers, fromHere] = await Promise.all([metadataOf(url), metadataOf(internalUrl)]);
  const isOne = internalUrl === url;
  const unread = () =>
    warn(
      `AUTH_URL cannot be read from here (${outcome(asBrowsers)}); browsers may be able to reach it.`,
      'Open AUTH_URL/.well-known/openid-configuration in a browser.',
    );
  return worst([
    discovery(isOne ? 'AUTH_URL' : 'AUTH_INTERNAL_URL', fromHere, url),
    !isOne && (asBrowsers.status === 200 ? discovery('AUTH_URL', asBrowsers, url) : unread()),
    fromHere.status === 200 && (await userinfo(internalUrl)),
  ]);
}

/** RFC 8414, section 3.3: the issuer must be the address that the metadata was requested from. */
function discovery(variable: string, response: Reply, publicUrl: string): Finding {
  if (response.status !== 200)
    return unusable(
      `${variable} does not respond like an OAuth 2.0 server`,
      response,
      `Correct ${variable}, or start that server.`,
    );
  const metadata = jsonIn(response);
  const issuer = text(metadata['issuer']).replace(/\/+$/, '');
  if (issuer === '') return critical(`${variable} is not the address of an OAuth 2.0 server.`, `Correct ${variable}.`);
  const challenges = metadata['code_challenge_methods_supported'];
  if (challenges !== undefined && !texts(challenges).includes('S256'))
    return critical('The server does not support PKCE with S256.', 'Enable it there.');
  if (issuer !== publicUrl)
    return critical(
      `The issuer of the server at ${variable} is not AUTH_URL.`,
      'Make AUTH_URL the issuer of that server (Hydra: urls.self.issuer), as browsers reach it.',
      `AUTH_URL=${issuer}`,
    );
  return pass('It responds, and AUTH_URL is its issuer.');
}

/** Checks that userinfo exists at either path: it must refuse a request without a token. */
async function userinfo(url: string): Promise<Finding> {
  for (const path of ['/oauth2/userinfo', '/userinfo']) {
    const response = await responseFrom(url + path);
    if (response.status === 401 || response.status === 403) return pass('The userinfo endpoint exists.');
    if (response.failure)
      return unusable('The userinfo endpoint cannot be used', response, 'See the log of that server.');
  }
  return critical(
    'The server has no userinfo endpoint at /oauth2/userinfo or /userinfo.',
    'Forward one of them in the reverse proxy in front of it.',
  );
}

async function signInPage({ auth, baseUrl }: Config, { url, internalUrl }: OAuthServer): Promise<Finding> {
  const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url');
  const state = randomBytes(16).toString('base64url');
  const path = authorizationPath({ clientId: auth.clientId, baseUrl, state, challenge });
  const response = await responseFrom(internalUrl + path);
  const location = response.failure ? '' : (response.headers.location ?? '');
  if (response.failure || response.status < 300 || response.status > 399 || !URL.canParse(location, url))
    return unusable(
      'The OAuth 2.0 server does not redirect browsers to a sign-in page',
      response,
      'Compare OAUTH_CLIENT_ID and AUTH_URL with that server.',
    );
  const target = new URL(location, url);
  const error = target.searchParams.get('error');
  if (error !== null || target.href.startsWith(callbackOf(baseUrl)))
    return critical(
      `The OAuth 2.0 server refuses to start a sign-in: ${/^[a-z_]{1,40}$/.exec(error ?? '')?.[0] ?? 'without an error'}.`,
      'Compare the dashboard’s OAuth client with docs/connect.md.',
    );
  if (target.pathname.includes('/oauth2/fallbacks/'))
    return critical(
      'The OAuth 2.0 server has no configured sign-in page.',
      'Set its address in the configuration of Hydra: urls.login, urls.consent and urls.logout.',
    );
  const page = await responseFrom(target, cookiesFor(target, [url, internalUrl], response));
  if (!page.failure && page.status < 400) return pass('The OAuth 2.0 server redirects to one that responds.');
  const finding = `The sign-in page does not respond correctly: ${outcome(page)}.`;
  // Only a missing page or a server error is evidence: the page may respond to automated requests with any other
  // status.
  return page.failure || (page.status < 500 && page.status !== 404 && page.status !== 410)
    ? warn(
        `${finding} Browsers may be able to open it.`,
        'Open the dashboard in a browser, or start the application with that page.',
      )
    : critical(finding, 'Correct urls.login of Hydra, or start the application with that page.');
}

/** Cookies for the sign-in page, which may require those of the OAuth 2.0 server if both are on the same host. */
function cookiesFor(page: URL, servers: string[], { headers }: UpstreamResponse): Record<string, string> {
  const hosts = servers.map((url) => new URL(url).host);
  const cookies = (headers['set-cookie'] ?? []).map((line) => line.split(';', 1)[0]);
  return hosts.includes(page.host) && cookies.length > 0 ? { cookie: cookies.join('; ') } : {};
}

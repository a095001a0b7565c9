import { createHash, randomBytes } from 'node:crypto';
import { membersOf, text, texts } from '../../../../shared/json.ts';
import type { Config } from '../../../config/config.ts';
import { authorizationPath, callbackOf, SCOPES } from '../../../platform.ts';
import type { AdminClient } from '../../../upstream/admin-client.ts';
import { failureOf, UpstreamFailure } from '../../../upstream/failure.ts';
import { type UpstreamAnswer, upstreamFetch } from '../../../upstream/fetch.ts';
import { type Check, type Finding, fail, gravest, lockOut, pass, unknown, warn } from './check.ts';
import { causeOf, OAUTH_ADMIN, ofOperators } from './upstreams.ts';

const OAUTH_TIMEOUT_MS = 4_000;
const SETUP = 'node dist/server/main.js setup --yes';
const WARN_SECONDS = 5;
const FAIL_SECONDS = 60;

/**
 * How this dashboard is registered at the OAuth server, and whether the two clocks agree.
 * @param client of the OAuth server's admin API
 * @param now milliseconds since the epoch
 */
export const oauthChecks = (
  config: Pick<Config, 'auth' | 'baseUrl'>,
  client: AdminClient,
  now: () => number,
): Check[] => [
  {
    id: 'oauth_client',
    title: 'The dashboard’s OAuth client',
    why: 'A client with other redirect URIs, or with an unused secret, gives an attacker another way to the authorization code.',
    look: async () => {
      const api = ofOperators(config.auth.oauthAdmin, OAUTH_ADMIN);
      const path = `/admin/clients/${encodeURIComponent(config.auth.clientId)}`;
      try {
        const { body } = await client.get(path, {}, { timeoutMs: OAUTH_TIMEOUT_MS });
        return gravest(
          deviations(body as OAuthClient, callbackOf(config.baseUrl)),
          pass('It is configured correctly.'),
        );
      } catch (error) {
        if (!(error instanceof UpstreamFailure)) throw error;
        if (error.answer?.status === 404)
          return lockOut(
            'The OAuth server’s admin API does not know the client.',
            `Create it, or compare OAUTH_CLIENT_ID and ${api.urlVariable} with that server.`,
            SETUP,
          );
        const [detail, action] = causeOf(error, api);
        // What is wrong with a key is said there.
        const isSaid = error.kind === 'refuses_key' || error.kind === 'key_unreadable';
        return unknown(
          isSaid ? `Not checked, for want of a key that ${OAUTH_ADMIN} accepts.` : detail,
          isSaid ? 'See “API keys of the services”.' : `${action} Or compare the client with docs/operations.md.`,
        );
      }
    },
  },
  {
    id: 'clock',
    title: 'Clock',
    why: 'This machine’s clock decides when sessions expire and dates the audit records.',
    look: async () => {
      const began = now();
      const url = `${config.auth.internalUrl}/.well-known/openid-configuration`;
      const answer = await upstreamFetch(url, { timeoutMs: OAUTH_TIMEOUT_MS }).catch(() => undefined);
      if (answer === undefined) return unknown('The OAuth server does not respond.', 'See “The OAuth 2.0 server”.');
      const serverTime = Date.parse(answer.headers.date ?? '');
      if (Number.isNaN(serverTime))
        return unknown('The OAuth server does not report its time.', 'Compare the clocks manually.');
      // The header is truncated to the second and was written at some point between request and response.
      const seconds = Math.round(Math.abs((began + now()) / 2 - serverTime - 500) / 1000);
      const detail = `This clock and the OAuth server’s differ by ${seconds} s.`;
      const action = 'Synchronise both clocks with NTP.';
      if (seconds > FAIL_SECONDS) return fail(detail, action);
      return seconds > WARN_SECONDS ? warn(detail, action) : pass(detail);
    },
  },
];

interface OAuthClient {
  token_endpoint_auth_method?: unknown;
  redirect_uris?: unknown;
  grant_types?: unknown;
  response_types?: unknown;
  scope?: unknown;
  userinfo_signed_response_alg?: unknown;
}

/** If something is missing, sign-in fails; anything beyond what it needs is a way in. */
function deviations(client: OAuthClient, callback: string): Finding[] {
  const redirects = texts(client.redirect_uris);
  const grants = texts(client.grant_types);
  const scopes = String(client.scope ?? '').split(' ');
  const missing = SCOPES.filter((scope) => !scopes.includes(scope));
  const rules: [broken: boolean, finding: Finding][] = [
    [
      client.token_endpoint_auth_method !== 'none',
      lockOut('It is not a public client.', 'Set token_endpoint_auth_method to none.'),
    ],
    [
      !redirects.includes(callback),
      lockOut('It must not redirect to this dashboard.', 'Add BASE_URL/api/auth/callback to redirect_uris.'),
    ],
    [
      redirects.some((uri) => uri !== callback),
      warn('It may also redirect to other addresses.', 'Leave only BASE_URL/api/auth/callback in redirect_uris.'),
    ],
    [
      !grants.includes('authorization_code'),
      lockOut('It is not allowed to use authorization codes.', 'Set grant_types to authorization_code.'),
    ],
    [
      grants.some((grant) => grant !== 'authorization_code'),
      warn('It may use grants other than authorization codes.', 'Set grant_types to authorization_code only.'),
    ],
    [
      texts(client.response_types).join() !== 'code',
      warn('It may request response types other than code.', 'Set response_types to code only.'),
    ],
    [missing.length > 0, lockOut(`It lacks ${missing.join(' and ')}.`, `Set scope to ${SCOPES.join(' ')}.`)],
    [
      !['none', '', undefined].some((alg) => alg === client.userinfo_signed_response_alg),
      lockOut(
        'Its userinfo responses are signed, which the dashboard cannot read.',
        'Set userinfo_signed_response_alg to none.',
      ),
    ],
  ];
  return rules.filter(([broken]) => broken).map(([, finding]) => finding);
}

const TIMEOUT_MS = 2_000;
/** Its body is not used, and may be a page of any size. */
const PAGE_MAX_BYTES = 4 * 1024 * 1024;

type SignInConfig = Pick<Config, 'auth' | 'baseUrl'>;

/**
 * Whether the OAuth 2.0 server is the one that AUTH_URL promises to browsers, and leads them to a sign-in page. That page
 * is asked for again ten minutes after it was there: earlier releases of Hydra store each sign-in that begins.
 * @param elapsed milliseconds on a monotonic clock
 */
export const signInChecks = (config: SignInConfig, elapsed: () => number): Check[] => [
  {
    id: 'oauth_server',
    title: 'The OAuth 2.0 server',
    why: 'Operators sign in through it alone.',
    look: () => oauthServer(config),
  },
  {
    id: 'sign_in_page',
    title: 'The page to sign in on',
    why: 'The OAuth 2.0 server has none of its own: it sends browsers to the address that its configuration names.',
    look: rememberedPass(() => signInPage(config), elapsed),
  },
];

const REMEMBER_MS = 10 * 60_000;

function rememberedPass(look: () => Promise<Finding>, elapsed: () => number): () => Promise<Finding> {
  let known: { finding: Finding; until: number } | undefined;
  return async () => {
    if (known !== undefined && elapsed() < known.until) return known.finding;
    const finding = await look();
    known = finding.status === 'pass' ? { finding, until: elapsed() + REMEMBER_MS } : undefined;
    return finding;
  };
}

async function oauthServer({ auth }: SignInConfig): Promise<Finding> {
  const [asBrowsers, fromHere] = await Promise.all(
    [auth.url, auth.internalUrl].map((url) => get(`${url}/.well-known/openid-configuration`)),
  );
  const findings = [discovery('AUTH_INTERNAL_URL', fromHere, auth.url)];
  if (auth.internalUrl === auth.url) findings[0] = discovery('AUTH_URL', fromHere, auth.url);
  else if (asBrowsers?.status !== 200)
    findings.push(
      warn(
        `AUTH_URL cannot be read from here (${outcome(asBrowsers)}); browsers may be able to.`,
        'Open AUTH_URL/.well-known/openid-configuration in a browser.',
      ),
    );
  else findings.push(discovery('AUTH_URL', asBrowsers, auth.url));
  if (fromHere?.status === 200) findings.push(await userinfo(auth.internalUrl));
  return gravest(findings, pass('It responds.'));
}

/** RFC 8414, section 3.3: the issuer must be the address that the metadata was asked for. */
function discovery(variable: string, answer: UpstreamAnswer | undefined, publicUrl: string): Finding {
  if (answer?.status !== 200)
    return lockOut(
      `${variable} is no OAuth 2.0 server that responds: ${outcome(answer)}.`,
      `Correct ${variable}, or start that server.`,
    );
  const found = json(answer);
  const issuer = text(found['issuer']).replace(/\/+$/, '');
  if (issuer === '') return lockOut(`What responds at ${variable} is no OAuth 2.0 server.`, `Correct ${variable}.`);
  const challenges = found['code_challenge_methods_supported'];
  if (challenges !== undefined && !texts(challenges).includes('S256'))
    return lockOut('The server does not support PKCE with S256.', 'Enable it there.');
  if (issuer !== publicUrl)
    return lockOut(
      `The server at ${variable} calls itself by another address than AUTH_URL.`,
      'Make AUTH_URL the issuer of that server (Hydra: urls.self.issuer), as browsers reach it.',
      `AUTH_URL=${issuer}`,
    );
  return pass('It responds, and calls itself by AUTH_URL.');
}

/** Without a token it must refuse, wherever it is. */
async function userinfo(url: string): Promise<Finding> {
  for (const path of ['/oauth2/userinfo', '/userinfo']) {
    const answer = await get(url + path);
    if (answer?.status === 401 || answer?.status === 403) return pass('Userinfo is there.');
  }
  return lockOut(
    'The server has no userinfo at /oauth2/userinfo or /userinfo.',
    'Let the reverse proxy in front of it pass one of them on.',
  );
}

async function signInPage({ auth, baseUrl }: SignInConfig): Promise<Finding> {
  const challenge = createHash('sha256').update(randomBytes(32)).digest('base64url');
  const state = randomBytes(16).toString('base64url');
  const path = authorizationPath({ clientId: auth.clientId, baseUrl, state, challenge });
  const answer = await get(auth.internalUrl + path);
  const location = answer?.headers.location ?? '';
  if (answer === undefined || answer.status < 300 || answer.status > 399 || !URL.canParse(location, auth.url))
    return lockOut(
      `The OAuth 2.0 server does not send a browser on to sign in: ${outcome(answer)}.`,
      'Compare OAUTH_CLIENT_ID and AUTH_URL with that server.',
    );
  const target = new URL(location, auth.url);
  const error = target.searchParams.get('error');
  if (error !== null || target.href.startsWith(callbackOf(baseUrl)))
    return lockOut(
      `The OAuth 2.0 server refuses to begin a sign-in: ${/^[a-z_]{1,40}$/.exec(error ?? '')?.[0] ?? 'without an error'}.`,
      'Compare the dashboard’s OAuth client with docs/operations.md.',
    );
  if (target.pathname.includes('/oauth2/fallbacks/'))
    return lockOut(
      'The OAuth 2.0 server does not know the page to sign in on.',
      'Name it in the configuration of Hydra: urls.login, urls.consent and urls.logout.',
    );
  const page = await get(target, cookiesFor(target, auth, answer));
  if (page !== undefined && page.status < 400) return pass('The OAuth 2.0 server leads to one that responds.');
  const finding = `The page that the OAuth 2.0 server leads to does not respond as one: ${outcome(page)}.`;
  // It may be for browsers alone; that there is none is evidence.
  return page === undefined || (page.status < 500 && page.status !== 404 && page.status !== 410)
    ? warn(
        `${finding} Browsers may be able to open it.`,
        'Open the dashboard in a browser, or start the application with that page.',
      )
    : lockOut(finding, 'Correct urls.login of Hydra, or start the application with that page.');
}

/** A page on the host of the OAuth 2.0 server itself may know its visitors by them. */
function cookiesFor(page: URL, auth: SignInConfig['auth'], { headers }: UpstreamAnswer): Record<string, string> {
  const hosts = [auth.url, auth.internalUrl].map((url) => new URL(url).host);
  const cookies = (headers['set-cookie'] ?? []).map((line) => line.split(';', 1)[0]);
  return hosts.includes(page.host) && cookies.length > 0 ? { cookie: cookies.join('; ') } : {};
}

/** Undefined without an answer. */
const get = (url: string | URL, headers: Record<string, string> = {}): Promise<UpstreamAnswer | undefined> =>
  upstreamFetch(url, {
    headers: { accept: 'application/json, text/html;q=0.9', ...headers },
    timeoutMs: TIMEOUT_MS,
    maxBytes: PAGE_MAX_BYTES,
  }).catch((error) => {
    failureOf(error);
    return undefined;
  });

const outcome = (answer: UpstreamAnswer | undefined): string =>
  answer === undefined ? 'it does not respond in time' : `it answers ${answer.status}`;

function json(answer: UpstreamAnswer): Record<string, unknown> {
  try {
    return membersOf(JSON.parse(answer.text));
  } catch {
    return {};
  }
}

import { createHmac } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerMetadata } from 'openid-client';
import { attempt, isObject, type JsonObject, membersOf, text, texts } from '../../../shared/json.ts';
import { SIGNED_OUT_PATH } from '../../../shared/session.ts';
import { discoveryAddress } from '../../../shared/upstreams.ts';
import { cachedFor } from '../../caches.ts';
import type { OpenidProvider } from '../../config/config.ts';
import { safeUrl } from '../../networks.ts';
import { callbackOf } from '../../registration.ts';
import { failureOf, failureOfStatus, UpstreamFailure } from '../../upstream/failure.ts';
import { type UpstreamRequest, type UpstreamResponse, upstreamFetch } from '../../upstream/fetch.ts';
import { DEFAULT_EXPIRES_IN, GOOGLE, type Provider, type ProviderOptions, SignInFailed, valueAt } from './provider.ts';

const METADATA_MS = 60 * 60_000;
/** Anybody may begin a sign-in. */
const FAILED_MS = 5_000;
/** Less than the minute after which openid-client requests keys that it does not know. */
const KEYS_MS = 55_000;
/** A sign-out does not wait longer for the provider's metadata. */
const SIGN_OUT_WAIT_MS = 2_000;
const CLOCK_TOLERANCE_SECONDS = 30;
const SUBJECT_MAX_CHARACTERS = 255;

/**
 * An OpenID provider (OpenID Connect Core), with the authorization code flow and PKCE. openid-client checks the
 * responses; this adds what it leaves to its caller.
 */
export function openidProvider(
  { issuer, clientSecret, scope, signsOut }: OpenidProvider,
  { clientId, baseUrl, timeoutMs, observe }: ProviderOptions,
  monotonic: () => number,
): Provider {
  const request = (url: string, init: Pick<UpstreamRequest, 'method' | 'headers' | 'body'> = {}) =>
    upstreamFetch(url, { headers: { accept: 'application/json' }, ...init, timeoutMs, observe });

  /** @throws SignInFailed if the provider responds with something else, UpstreamFailure if it does not respond */
  async function documentAt(url: string, step: string): Promise<JsonObject> {
    const response = await request(url).catch(refuse(step));
    if (response.status !== 200) throw refuse(step)(failureOfStatus(response));
    const document = attempt(() => JSON.parse(response.text));
    if (!isObject(document)) throw refusal(`${step}_not_json`);
    return document;
  }

  /** The provider's metadata, and openid-client's configuration for it. */
  const discovered = cachedFor(METADATA_MS, () => discover().catch(refuse('discovery')), monotonic, FAILED_MS);

  async function discover() {
    const document = await documentAt(discoveryAddress(issuer), 'discovery');
    const problem = metadataProblem(document, issuer);
    if (problem !== undefined) throw refusal(`discovery_${problem}`);
    const metadata = document as unknown as ServerMetadata;
    const openid = await import('openid-client');
    const methods = metadata.token_endpoint_auth_methods_supported;
    const isPostOnly = methods?.includes('client_secret_post') && !methods.includes('client_secret_basic');
    const authentication =
      clientSecret === undefined
        ? openid.None()
        : (isPostOnly ? openid.ClientSecretPost : openid.ClientSecretBasic)(clientSecret);
    const client = { [openid.clockTolerance]: CLOCK_TOLERANCE_SECONDS };
    const configuration = new openid.Configuration(metadata, clientId, client, authentication);
    const keys = cachedFor(KEYS_MS, () => documentAt(text(metadata.jwks_uri), 'jwks'), monotonic, FAILED_MS);
    configuration[openid.customFetch] = async (url, { method, headers, body }) =>
      url === metadata.jwks_uri
        ? Response.json(await keys())
        : asFetched(
            await request(url, { method: method as 'GET' | 'POST', headers, body: body ? String(body) : undefined }),
          );
    openid.enableNonRepudiationChecks(configuration);
    if (new URL(issuer).protocol === 'http:') openid.allowInsecureRequests(configuration);
    return { openid, metadata, configuration };
  }

  const redeem: Provider['redeem'] = async ({ code, state, verifier, iss }) => {
    const { openid, metadata, configuration } = await discovered();
    const namesIssuer = metadata.authorization_response_iss_parameter_supported === true;
    if (iss.length > 1 || iss.some((one) => one !== issuer) || (namesIssuer && iss.length === 0))
      throw refusal('response_iss');
    // Never the address of the request, whose `Host` anybody can choose.
    const callback = new URL(`${callbackOf(baseUrl)}?${new URLSearchParams({ code, state })}`);
    for (const one of iss) callback.searchParams.append('iss', one);
    const tokens = await openid
      .authorizationCodeGrant(configuration, callback, {
        pkceCodeVerifier: verifier,
        expectedState: state,
        expectedNonce: nonceOf(state, verifier),
        idTokenExpected: true,
      })
      .catch(refuse('token'));
    const idToken = (tokens.claims() ?? {}) as JsonObject & { sub: string };
    checkClaims(idToken, clientId);
    const { expires_in: expiresIn = DEFAULT_EXPIRES_IN } = tokens;
    if (!(expiresIn >= 1)) throw refusal('expires_in');

    const readUserInfo = async (): Promise<JsonObject> => {
      if (metadata.userinfo_endpoint === undefined) return {};
      return openid.fetchUserInfo(configuration, tokens.access_token, idToken.sub).catch(refuse('userinfo'));
    };
    const userInfo = cachedFor(Number.POSITIVE_INFINITY, readUserInfo, monotonic);
    return {
      sub: idToken.sub,
      expiresIn: Math.floor(expiresIn),
      async claimsWith(pointer) {
        const claims = isIn(idToken, pointer) ? idToken : await userInfo();
        return isIn(claims, pointer) ? claims : {};
      },
    };
  };

  return {
    async authorizationUrl({ state, verifier, challenge, again }) {
      const { openid, metadata, configuration } = await discovered();
      const prompts = metadata['prompt_values_supported'];
      const lacksLogin = Array.isArray(prompts) && !prompts.includes('login');
      const { href } = openid.buildAuthorizationUrl(configuration, {
        scope,
        redirect_uri: callbackOf(baseUrl),
        state,
        nonce: nonceOf(state, verifier),
        code_challenge: challenge,
        code_challenge_method: 'S256',
        ...(again && { prompt: lacksLogin || issuer === GOOGLE ? 'select_account' : 'login' }),
      });
      return href;
    },
    redeem,
    async signOutUrl() {
      if (!signsOut) return undefined;
      const late = sleep(SIGN_OUT_WAIT_MS, undefined, { ref: false });
      const found = await Promise.race([discovered(), late]).catch(() => undefined);
      const endpoint = found?.metadata.end_session_endpoint;
      if (endpoint === undefined) return undefined;
      const url = new URL(endpoint);
      url.searchParams.set('client_id', clientId);
      url.searchParams.set('post_logout_redirect_uri', baseUrl + SIGNED_OUT_PATH);
      return url.href;
    },
  };
}

/**
 * An HMAC of the state, which binds the ID token to this attempt. Only this browser has the verifier until the exchange,
 * and it stays the same while signing keys are rotated.
 */
export const nonceOf = (state: string, verifier: string): string =>
  createHmac('sha256', verifier).update(state).digest('base64url');

/** Null is no value either (OpenID Connect Core, section 5.3.2). */
const isIn = (claims: JsonObject, pointer: string): boolean => (valueAt(claims, pointer) ?? undefined) !== undefined;

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const;
const OPTIONAL_ENDPOINTS = ['userinfo_endpoint', 'end_session_endpoint'] as const;

/**
 * What is wrong with a provider's metadata: the `issuer` (OpenID Connect Discovery, section 4.3), an endpoint by its
 * name, or `pkce`; undefined if nothing is. Endpoints may be on other hosts.
 */
export function metadataProblem(document: JsonObject, issuer: string): string | undefined {
  if (document['issuer'] !== issuer) return 'issuer';
  const given = OPTIONAL_ENDPOINTS.filter((name) => document[name] !== undefined);
  const unsafe = [...ENDPOINTS, ...given].find((name) => !isSafe(document[name], issuer));
  const methods = document['code_challenge_methods_supported'];
  return unsafe ?? (methods !== undefined && !texts(methods).includes('S256') ? 'pkce' : undefined);
}

/** Plain http is only for a provider that is on this machine itself. */
function isSafe(endpoint: unknown, issuer: string): boolean {
  const url = safeUrl(endpoint);
  return url !== undefined && (url.protocol === 'https:' || issuer.startsWith('http:'));
}

/** What openid-client does not check (OpenID Connect Core, section 3.1.3.7). */
function checkClaims({ sub, azp, iat }: JsonObject, clientId: string): void {
  // Halves of surrogate pairs all become the same bytes, in which different subjects could share an id.
  if (text(sub) === '' || text(sub).length > SUBJECT_MAX_CHARACTERS || /[\p{Cc}\p{Cs}]/u.test(text(sub)))
    throw refusal('id_token_sub');
  if (azp !== undefined && azp !== clientId) throw refusal('id_token_azp');
  if (!(Number(iat) <= Date.now() / 1000 + CLOCK_TOLERANCE_SECONDS)) throw refusal('id_token_iat');
}

/** A 429 or 5xx is the provider's failure, which another attempt may not have; no body is allowed with some statuses. */
function asFetched({ status, headers, text: body }: UpstreamResponse): Response {
  if (status >= 500 || status === 429) throw failureOfStatus({ status, text: body });
  if (status < 200 || status === 204 || status === 205 || status === 304) throw new UpstreamFailure('nonsense');
  return new Response(body, { status, headers: { 'content-type': headers['content-type'] ?? '' } });
}

/** @param word what exactly is wrong with a response, for the log */
const refusal = (word: string): SignInFailed =>
  new SignInFailed('provider_refused', { word, cause: new UpstreamFailure('nonsense') });

/** Failures that another attempt may not have. */
const TEMPORARY = new Set(['unreachable', 'timeout', 'certificate', 'failing', 'too_many_requests']);
const isTemporary = ({ kind, cause }: UpstreamFailure): boolean =>
  TEMPORARY.has(kind) || (cause as { code?: unknown } | undefined)?.code === 'ECONNRESET';

/**
 * @param step which exchange failed, for the log
 * @returns a function that throws the failure of a request as it is, and whatever the provider said wrong as a refusal
 */
const refuse =
  (step: string) =>
  (error: unknown): never => {
    const failure = chainOf(error).find((one) => one instanceof UpstreamFailure || one instanceof SignInFailed);
    if (failure instanceof SignInFailed || (failure !== undefined && isTemporary(failure))) throw failure;
    const status = failure?.response?.status;
    throw new SignInFailed('provider_refused', {
      word: `${step}_${status === undefined ? (failure?.kind ?? wordOf(error)) : `http_${status}`}`,
      cause: failureOf(failure ?? error),
    });
  };

const chainOf = (error: unknown): Error[] => (error instanceof Error ? [error, ...chainOf(error.cause)] : []);

/** What openid-client found wrong: a claim, the error code of a response (RFC 6749, section 5.2), or its own code. */
function wordOf(error: unknown): string {
  const parts = chainOf(error).map((one) => one as Error & { error?: unknown; code?: unknown });
  for (const { error: refusal, code, cause, message } of parts) {
    if (cause instanceof Response) return cause.ok ? 'not_json' : `http_${cause.status}`;
    const { claim, alg, candidates, signature, attribute } = membersOf(cause);
    if (signature !== undefined) return 'signature';
    if (alg !== undefined) return 'alg';
    if (candidates !== undefined) return 'key';
    // Only this message names what is missing, or of another type: JWT "nonce" (nonce) claim missing.
    const [, quoted] = (code === 'OAUTH_INVALID_RESPONSE' && /"(?!response")([a-z_]+)"/.exec(message)) || [];
    const named = [claim, attribute, refusal, quoted].find((word) => /^[a-z_]{1,40}$/.test(text(word)));
    if (named !== undefined) return String(named);
  }
  const code = parts.map((part) => text(part.code)).find((one) => one !== '');
  return (code ?? 'invalid').replace(/^OAUTH_/, '').toLowerCase();
}

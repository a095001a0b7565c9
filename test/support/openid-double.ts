import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { OpenidProvider } from '../../server/config/config.ts';
import { nonceOf, openidProvider } from '../../server/features/auth/openid-provider.ts';
import type { JsonObject } from '../../shared/json.ts';
import { jsonResponse, type Responder } from './fake-provider.ts';
import { listenOnLoopback } from './loopback.ts';

export const CLIENT_ID = 'dashboard';
/** An attempt to sign in, whose nonce the double sends. */
export const ATTEMPT = { state: 's', verifier: 'v', challenge: 'c', again: false, code: 'c', iss: [] };
export const CLIENT_SECRET = 'secret:of+the/tests%~0123456789abcdef';

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
export const PUBLIC_KEY = publicKey.export({ type: 'spki', format: 'pem' });
/** Signs with RS256. */
export const rs256 = (input: string, key: KeyObject = privateKey): string =>
  sign('sha256', Buffer.from(input), key).toString('base64url');

const PATHS: Record<string, 'discovery' | 'jwks' | 'token' | 'userinfo'> = {
  '/.well-known/openid-configuration': 'discovery',
  '/jwks': 'jwks',
  '/token': 'token',
  '/userinfo': 'userinfo',
};

/** The responses of a sign-in that succeeds. A test may change them; members that are undefined are left out. */
const responsesOf = (url: string) => ({
  discovery: {
    issuer: url,
    authorization_endpoint: `${url}/authorize`,
    token_endpoint: `${url}/token`,
    jwks_uri: `${url}/jwks`,
    userinfo_endpoint: `${url}/userinfo`,
    end_session_endpoint: `${url}/end?of=session`,
  } as JsonObject,
  jwks: { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'first', use: 'sig' }] } as JsonObject,
  token: { access_token: 'token-of-the-test', token_type: 'bearer', expires_in: 3600 } as JsonObject,
  userinfo: { sub: 'ada', email: 'ada@example.com', email_verified: true } as JsonObject,
  header: { alg: 'RS256', kid: 'first' } as JsonObject,
  /** Of the ID token, beside `iat` and `exp`. */
  claims: {
    iss: url,
    aud: CLIENT_ID,
    sub: 'ada',
    groups: ['admins'],
    nonce: nonceOf(ATTEMPT.state, ATTEMPT.verifier),
  } as JsonObject,
  signature: (input: string): string => rs256(input),
  /** What responds in place of a document, by its name. */
  instead: {} as Record<string, Responder>,
  /** The documents that have been requested. */
  requests: [] as string[],
});

export type OpenidDouble = Awaited<ReturnType<typeof startOpenidDouble>>;

/** An OpenID provider of which a test may change every document. */
export async function startOpenidDouble() {
  const server = createServer((req, res) => void respond(req, res).catch(() => res.destroy()));
  async function respond(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const form = new URLSearchParams((await req.setEncoding('utf8').toArray()).join(''));
    const path = req.url ?? '';
    const name = PATHS[path];
    if (name === undefined) return void res.writeHead(404).end();
    double.requests.push(name);
    const body = name === 'token' ? { id_token: idToken(), ...double.token } : double[name];
    const responder = double.instead[name] ?? jsonResponse(body);
    responder({ method: req.method ?? '', path, headers: req.headers, form }, res);
  }
  function idToken(): string {
    const iat = Math.floor(Date.now() / 1000);
    const claims = { iat, exp: iat + 600, ...double.claims };
    const input = [double.header, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    return `${input}.${double.signature(input)}`;
  }
  const { url, close } = await listenOnLoopback(server);
  const reset = (): void => void Object.assign(double, responsesOf(url));
  const double = { url, ...responsesOf(url), reset, close };
  return double;
}

const OF_CLAIMS = { OPERATOR_ROLE_CLAIM: '/groups', OPERATOR_ROLE_VALUES: 'admin=admins;viewer=viewers' };
const NO_STORE = { AUTH_IDENTITY_ADMIN_URL: undefined, OPERATOR_SCHEMA_IDS: undefined };
export type Source = 'identity' | 'email' | 'claims';
/** The variables of an OpenID provider, in place of those of a sandbox. */
export const openidVariables = (issuer: string, from: Source = 'claims'): NodeJS.ProcessEnv => ({
  ...{ AUTH_URL: undefined, AUTH_INTERNAL_URL: undefined, AUTH_ISSUER: issuer, OAUTH_CLIENT_ID: CLIENT_ID },
  ...{ OPERATORS_FROM: from, ...(from === 'claims' && { ...OF_CLAIMS, ...NO_STORE }) },
});

/** The dashboard's side of a provider, as configured by default. */
export const providerAt = (issuer: string, changed: Partial<OpenidProvider> = {}, monotonic = () => 0) =>
  openidProvider(
    { kind: 'openid', issuer, clientSecret: undefined, scope: 'openid', signsOut: true, ...changed },
    { clientId: CLIENT_ID, baseUrl: 'http://localhost:3000', timeoutMs: 60_000 },
    monotonic,
  );

import assert from 'node:assert/strict';
import { createHmac, generateKeyPairSync } from 'node:crypto';
import type { JsonObject } from '../../shared/json.ts';
import { startDashboard } from '../support/dashboard.ts';
import { jsonResponse, type Responder } from '../support/fake-provider.ts';
import { CookieJar, visit } from '../support/http-sign-in.ts';
import { ofSuite } from '../support/of-suite.ts';
import {
  ATTEMPT,
  CLIENT_SECRET,
  type OpenidDouble,
  openidVariables,
  PUBLIC_KEY,
  providerAt,
  rs256,
  startOpenidDouble,
} from '../support/openid-double.ts';

const NOW = Math.floor(Date.now() / 1000);
const OTHER = 'https://other.example';
const { privateKey: otherKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const byOther = (input: string): string => rs256(input, otherKey);
const hs256 = (key: string | Buffer) => (input: string) => createHmac('sha256', key).update(input).digest('base64url');

const bytes =
  (body: string, type = 'application/json'): Responder =>
  (_request, res) =>
    void res.writeHead(200, { 'Content-Type': type }).end(body);
const HTML = bytes('<html>', 'text/html');
const LARGE = bytes(`{"a":"${'x'.repeat(10 * 1024 * 1024)}"}`);
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'userinfo_endpoint', 'end_session_endpoint', 'jwks_uri'];
const DEEP: Responder = ({ headers: { host } }, res) => {
  const members = ['issuer', ...ENDPOINTS].map((name) => `"${name}":"http://${host}"`);
  res.end(`{${members},"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`);
};
const JWT = ['{"alg":"none"}', '{"sub":"ada","email":"a@b"}'].map((part) => Buffer.from(part).toString('base64url'));
const UNSIGNED = bytes(`${JWT.join('.')}.`, 'application/jwt');
const REDIRECT: Responder = (_request, res) => void res.writeHead(307, { Location: '/elsewhere' }).end();

/** What an attack changes of the provider, or what responds in place of a document. */
type Attack = { [Name in keyof OpenidDouble]?: JsonObject | Responder | OpenidDouble['signature'] };
/** A signature without a key of the provider, which announces its algorithm. */
const weak = (alg: string, signature: OpenidDouble['signature']): Attack => ({
  discovery: { id_token_signing_alg_values_supported: ['RS256', alg] },
  header: { alg, kid: undefined },
  signature,
});
const HTTP = 'http://other.example/x';
const DOCUMENTS = ['discovery', 'jwks', 'token', 'userinfo'];

type Row = [sends: string, attack: Attack, word: string, iss?: string[]];
const REFUSED: Row[] = [
  ['metadata of another issuer', { discovery: { issuer: OTHER } }, 'discovery_issuer'],
  ...ENDPOINTS.map((name): Row => [`an http ${name}`, { discovery: { [name]: HTTP } }, `discovery_${name}`]),
  ['metadata that is too deep', { discovery: DEEP }, 'discovery_invalid'],
  ['metadata with only plain PKCE', { discovery: { code_challenge_methods_supported: ['plain'] } }, 'discovery_pkce'],
  ['a response of another issuer', {}, 'response_iss', [OTHER]],
  ['a response of its issuer twice', {}, 'response_iss', ['own', 'own']],
  ['no issuer', { discovery: { authorization_response_iss_parameter_supported: true } }, 'response_iss'],
  ['an ID token of another issuer', { claims: { iss: OTHER } }, 'token_iss'],
  ['an ID token for another audience', { claims: { aud: 'other' } }, 'token_aud'],
  ['an ID token for two audiences', { claims: { aud: ['dashboard', 'other'] } }, 'token_aud'],
  ['an ID token for another party', { claims: { azp: 'other' } }, 'id_token_azp'],
  ['an ID token without a nonce', { claims: { nonce: undefined } }, 'token_nonce'],
  ['an ID token with another nonce', { claims: { nonce: 'other' } }, 'token_nonce'],
  ['an ID token without a subject', { claims: { sub: undefined } }, 'token_sub'],
  ['an ID token with a subject of 256 characters', { claims: { sub: 'x'.repeat(256) } }, 'id_token_sub'],
  ['an ID token with half a character as its subject', { claims: { sub: '\ud800' } }, 'id_token_sub'],
  ['an ID token that has expired', { claims: { exp: NOW - 31 } }, 'token_exp'],
  ['an ID token of the future', { claims: { iat: NOW + 36_000 } }, 'id_token_iat'],
  ['an unsigned ID token', weak('none', () => ''), 'token_alg'],
  ['an ID token signed with the client secret', weak('HS256', hs256(CLIENT_SECRET)), 'token_alg'],
  ['an ID token signed with the public key as a secret', weak('HS256', hs256(PUBLIC_KEY)), 'token_alg'],
  ['an ID token signed with an unknown key', { header: { kid: 'other' }, signature: byOther }, 'token_key'],
  ['an ID token signed with another key', { signature: byOther }, 'token_signature'],
  ['no ID token', { token: { id_token: undefined } }, 'token_id_token'],
  ['tokens that are valid for no second', { token: { expires_in: 0 } }, 'expires_in'],
  ['a refusal of a used code', { token: jsonResponse({ error: 'invalid_grant' }, 400) }, 'token_invalid_grant'],
  ...DOCUMENTS.flatMap((name): Row[] => [
    [`a redirect in place of ${name}`, { [name]: REDIRECT }, `${name}_http_307`],
    [`a page in place of ${name}`, { [name]: HTML }, `${name}_not_json`],
    [`10 MB in place of ${name}`, { [name]: LARGE }, `${name}_broken`],
  ]),
  ['userinfo of another subject', { userinfo: { sub: 'eve' } }, 'userinfo_sub'],
  [
    'unsigned userinfo',
    { discovery: { userinfo_signing_alg_values_supported: ['none'] }, userinfo: UNSIGNED },
    'userinfo_alg',
  ],
];

function apply(provider: OpenidDouble, attack: Attack): void {
  for (const [name, change] of Object.entries(attack))
    if (typeof change === 'object') Object.assign(provider[name as 'claims'], change);
    else if (name === 'signature') provider.signature = change as OpenidDouble['signature'];
    else provider.instead[name] = change as Responder;
}

describe('an OpenID provider', () => {
  const double = ofSuite(startOpenidDouble);
  beforeEach(() => double.reset());
  /** Signs in, and reads a claim that only userinfo has. @param iss issuers in the response; `own` is the double's */
  async function signIn(iss: string[] = []): Promise<unknown> {
    const { redeem } = providerAt(double.url, { clientSecret: CLIENT_SECRET });
    const issuers = iss.map((one) => one.replace('own', double.url));
    const { sub, expiresIn, claimsWith } = await redeem({ ...ATTEMPT, iss: issuers });
    return [sub, expiresIn, (await claimsWith('/email'))['email']];
  }

  for (const [sends, attack, word, iss] of REFUSED)
    it(`that sends ${sends} signs nobody in`, async () => {
      apply(double, attack);
      await assert.rejects(signIn(iss), { name: 'SignInFailed', code: `provider_refused ${word}` });
    });

  for (const [fails, code, responder] of [
    ['breaks off its response', 'broken', (_request, res) => res.destroy()],
    ['responds 500', 'failing 500', jsonResponse({}, 500)],
    ['responds 429', 'too_many_requests 429', jsonResponse({}, 429)],
  ] as [string, string, Responder][])
    for (const name of DOCUMENTS)
      it(`that ${fails} to a request for ${name} is reported as unreachable`, async () => {
        double.instead[name] = responder;
        await assert.rejects(signIn(), { name: 'UpstreamFailure', code });
      });

  it('that sends nothing wrong signs an operator in, for an hour if it names no time', async () => {
    double.token['expires_in'] = undefined;
    assert.deepEqual(await signIn(['own']), ['ada', 3600, 'ada@example.com']);
  });
});

describe('a dashboard whose OpenID provider', () => {
  let hours = 0;
  const double = ofSuite(startOpenidDouble);
  const dashboard = ofSuite(() =>
    startDashboard({
      env: { ...openidVariables(double.url), PROXY_TIMEOUT_MS: '1000' },
      // Documents and failures are cached for up to an hour.
      monotonic: () => performance.now() + hours * 3_600_000,
    }),
  );
  const silent: Responder = () => {};
  const [REFUSES, UNREACHABLE] = ['provider_refused', 'provider_unreachable'];
  for (const [fails, attack, reason, code, status] of [
    ['returns the browser with two issuers', {}, REFUSES, `${REFUSES} response_iss`, 401],
    ['returns the browser with an error', {}, REFUSES, `${REFUSES} response_invalid_scope`, 401],
    ['sends a nonce of another attempt', {}, REFUSES, `${REFUSES} token_nonce`, 401],
    ['has another issuer', { discovery: { issuer: OTHER } }, REFUSES, `${REFUSES} discovery_issuer`, 502],
    ['sends no metadata in time', { discovery: silent }, UNREACHABLE, 'timeout', 504],
    ['sends no tokens in time', { token: silent }, UNREACHABLE, 'timeout', 504],
  ] as [string, Attack, string, string, number][])
    it(`${fails} leads browsers to the error page, and other callers to ${status}`, async () => {
      double.reset();
      apply(double, attack);
      const issuers = code.endsWith('iss') ? `&iss=${double.url}&iss=${double.url}` : '';
      const error = code.endsWith('scope') ? '&error=invalid_scope' : '';
      for (const accept of ['text/html', '*/*']) {
        hours += 2;
        const [jar, lines, init] = [new CookieJar(), dashboard.logged.length, { headers: { accept } }];
        let response = await visit(`${dashboard.url}/api/auth/login`, jar, init);
        const location = response.headers.get('location') ?? '';
        const state = URL.canParse(location) && new URL(location).searchParams.get('state');
        if (state)
          response = await visit(
            `${dashboard.url}/api/auth/callback?code=c&state=${state}${issuers}${error}`,
            jar,
            init,
          );
        const page = accept === '*/*' ? null : `/sign-in-failed?reason=${reason}`;
        assert.deepEqual([response.headers.get('location'), response.status], [page, page === null ? status : 302]);
        const [failure] = dashboard.logged.slice(lines).flatMap((line) => JSON.parse(line).error ?? []);
        assert.deepEqual([failure.code, jar.get('dashboard-session')], [code, undefined]);
      }
    });
});

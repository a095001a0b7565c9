import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { signInSource } from '../../server/config/config.ts';
import { parseConfig } from '../../server/config/parse-config.ts';
import { createSigner, keyBytes } from '../../server/crypto/signer.ts';
import { claimsOperatorId } from '../../server/session/claims-operators.ts';
import { type Session, sessionTokens } from '../../server/session/session-token.ts';
import { ROLES } from '../../shared/capabilities.ts';
import { UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import { TEST_KEYS } from '../support/context.ts';
import { startDashboard } from '../support/dashboard.ts';
import { CookieJar, visit } from '../support/http-sign-in.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { ofSuite } from '../support/of-suite.ts';
import { openidVariables, type Source, startOpenidDouble } from '../support/openid-double.ts';
import { exchangeBytes, type RawResponse } from '../support/raw-client.ts';

/** One attack: a raw request and the expected response. test/fixtures/README.md explains the members. */
interface CorpusEntry {
  id: string;
  technique: string;
  method: string;
  target: string;
  headers?: Record<string, string>;
  body?: string;
  raw?: string;
  expect: string;
  assert?: string[];
}

const PROTECTED_MARKER = 'PROTECTED-MARKER-9f31';
const ANY_SESSION_MARKER = 'ANYAUTH-9f31';

const file = new URL('../fixtures/attack-paths.json', import.meta.url);

const gateCorpus = (): CorpusEntry[] => JSON.parse(readFileSync(file, 'utf8')) as CorpusEntry[];

/** Sends an entry with its `{{NAME}}` placeholders filled from the fixtures. @returns what is wrong with the response */
async function tryEntry(
  entry: CorpusEntry,
  port: number,
  fixtures: Record<string, string>,
): Promise<string | undefined> {
  // Raw bytes may contain a second request, whose response is checked as well: only a timeout ends the wait for it.
  const isOpenEnded = entry.raw !== undefined && entry.expect === 'not-protected-data';
  const limits = isOpenEnded ? { waitMs: 400 } : { count: entry.expect === 'pipeline-200-401' ? 2 : 1 };
  const responses = await exchangeBytes(port, requestBytes(entry, fixtures), { method: entry.method, ...limits });
  const problem = generalProblem(entry, responses) ?? expectationProblem(entry, responses);
  return problem === undefined
    ? undefined
    : `${entry.id} ${entry.method} ${JSON.stringify(entry.target.slice(0, 60))} expected ${entry.expect}: ${problem}; got ${responses
        .map(({ status, body }) => `${status} ${body.slice(0, 80)}`)
        .join(' | ')}`;
}

function requestBytes(entry: CorpusEntry, fixtures: Record<string, string>): string {
  const fill = (text: string): string =>
    text.replace(/\{\{(\w+)\}\}/g, (placeholder, name: string) => fixtures[name] ?? placeholder);
  if (entry.raw !== undefined) return fill(entry.raw);
  const headers = { Host: 'localhost', Connection: 'close', ...entry.headers };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${fill(value)}\r\n`);
  return `${entry.method} ${entry.target} HTTP/1.1\r\n${lines.join('')}\r\n${entry.body ?? ''}`;
}

const isJson = ({ header }: RawResponse): boolean => header('content-type').join().startsWith('application/json');
const isFromUpstream = ({ header }: RawResponse): boolean => header('x-upstream').length > 0;
const carriesAdmin = (entry: CorpusEntry): boolean => JSON.stringify(entry).includes('{{ADMIN}}');

/** The rules for every entry, whatever it expects. */
function generalProblem(entry: CorpusEntry, responses: RawResponse[]): string | undefined {
  for (const response of responses) {
    const { status, header, body } = response;
    if (!carriesAdmin(entry) && body.includes(PROTECTED_MARKER)) return 'a protected byte';
    if (/evil/.test(header('location').join())) return 'a redirect to a foreign host';
    if (header('access-control-allow-origin').length > 0) return 'a CORS header';
    if (status >= 400 && !isFromUpstream(response) && entry.method !== 'HEAD' && !isJson(response))
      return 'an error that is not JSON';
  }
  return undefined;
}

function expectationProblem(entry: CorpusEntry, responses: RawResponse[]): string | undefined {
  const [first, second] = responses;
  const leaks = responses.some(({ body }) => body.includes(PROTECTED_MARKER) || body.includes(ANY_SESSION_MARKER));
  const is401 = (response: RawResponse | undefined): boolean =>
    response?.status === 401 &&
    (entry.method === 'HEAD' || (isJson(response) && response.body.includes('"error":"not_authenticated"')));
  const unless = (isRight: boolean, problem: string): string | undefined => (isRight ? undefined : problem);
  const status = first?.status ?? 0;

  switch (entry.expect) {
    case '401':
      return unless(is401(first) && !leaks, 'not a clean 401');
    case '401-or-400':
      return unless((is401(first) || status === 400 || status === 421) && !leaks, 'not a clean refusal');
    case 'not-protected-data':
      return unless(carriesAdmin(entry) || entry.technique === 'viewer' || !leaks, 'a leak');
    case 'public-200':
      return unless(status === 200 && !leaks, 'not public');
    case 'public-302':
      return unless(status === 302 && !leaks, 'no redirect');
    case 'session-401':
      return unless(
        status === 401 && `${first?.body}` === '{"error":"Not authenticated"}',
        'not the body of this route',
      );
    case 'login-redirect':
      return unless(
        status === 302 &&
          /^\/api\/auth\/login(\?|$)/.test(`${first?.header('location')}`) &&
          !/dashboard-session=[^;]/.test(`${first?.header('set-cookie')}`),
        'not sent to sign in',
      );
    case 'viewer-denied':
      return unless([400, 403, 404, 405].includes(status), 'not denied');
    case 'viewer-403':
      return unless(status === 403, 'not forbidden');
    case 'viewer-200':
    case 'admin-200':
      return unless(status === 200, 'not served');
    case 'admin-404':
      return unless(status === 404, 'not missing');
    case 'proxied':
      return first?.status === 200 && isFromUpstream(first) ? forwardingProblem(entry, first) : 'not forwarded';
    case 'proxied-safe':
      if (first === undefined || leaks) return 'no response, or a leak';
      return isFromUpstream(first) ? forwardingProblem(entry, first) : undefined;
    case 'not-forwarded':
      return unless(first !== undefined && status >= 400 && !isFromUpstream(first), 'forwarded');
    case 'pipeline-200-401':
      return unless(status === 200 && is401(second) && responses.length === 2, 'not gated one by one');
    default:
      return `unknown expectation ${entry.expect}`;
  }
}

/** Checks what the echoing upstream received. */
function forwardingProblem(entry: CorpusEntry, { body }: RawResponse): string | undefined {
  const { url, headers, n } = JSON.parse(body.toString()) as {
    url: string;
    headers: Record<string, string>;
    n: number;
  };
  const forwarded = ['x-forwarded-for', 'x-forwarded-host', 'forwarded', 'x-real-ip'].map((name) => headers[name]);
  const hopByHop = ['proxy-authorization', 'te', 'keep-alive', 'proxy-connection', 'trailer'];
  const checks: Record<string, boolean> = {
    'auth-injected': headers.authorization !== undefined && !headers.authorization.includes('evil'),
    'no-connection-listing': !/authorization/i.test(headers.connection ?? ''),
    'host-upstream': !(headers.host ?? '').includes('evil'),
    'no-session-cookie':
      !/dashboard-session|oauth_state/.test(headers.cookie ?? '') && /ory_kratos_session/.test(headers.cookie ?? ''),
    'no-spoofed-forwarded': !/evil|1\.2\.3\.4|^127\.0\.0\.1, /.test(forwarded.join('|')),
    'no-underscore-headers': !Object.keys(headers).some((name) => name.includes('_')),
    'no-hop-by-hop': !hopByHop.some((name) => name in headers),
    'body-identical': n === Buffer.byteLength(entry.body ?? '', 'latin1'),
    'path-exact': url === entry.target.replace(/^\/api\/[^/]+/, ''),
  };
  return entry.assert?.find((name) => checks[name] !== true);
}

/** Responds with the request that it received; its list of identities contains the marker that only an admin may read. */
function echoingUpstream(): Server {
  return createServer((req, res) => {
    let bytes = 0;
    req.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    req.on('end', () => {
      const listing = req.url?.startsWith('/admin/identities?');
      const identity = { id: '0', traits: { email: `${PROTECTED_MARKER}@example.com` }, state: 'active' };
      const echo = { method: req.method, url: req.url, headers: req.headers, n: bytes };
      res.writeHead(200, { 'Content-Type': 'application/json', 'x-upstream': '1' });
      res.end(JSON.stringify(listing ? [identity] : echo));
    });
  });
}

const flip = (text: string, index: number): string =>
  text.slice(0, index) + (text[index] === 'A' ? 'B' : 'A') + text.slice(index + 1);

const WRONG_KEY = 'quite-another-signing-key-0123456789-abcdef';

function attacks(from?: Source): void {
  const corpus = gateCorpus();
  const issuer = ofSuite(startOpenidDouble);
  /** What a sign-in of the same operator makes if operators come from elsewhere. */
  function elsewhere(cookie: string, key = TEST_KEYS.SESSION_SIGNING_KEY): string {
    if (from === undefined) return cookie;
    const session = JSON.parse(Buffer.from(cookie.split('.')[0] ?? '', 'base64url').toString()) as Session;
    const source = signInSource(parseConfig({ ...dashboard.env, ...openidVariables(issuer.url, from) }).auth);
    const identityId = from === 'claims' ? claimsOperatorId(issuer.url, session.role) : session.identityId;
    const signer = createSigner(keyBytes({ current: key }));
    return sessionTokens(signer, { deployment: session.deployment, roles: ROLES }, Date.now).issue({
      ...session,
      source,
      identityId,
    });
  }
  const upstream = ofSuite(() => listenOnLoopback(echoingUpstream()));
  const dashboard = ofSuite(() =>
    startDashboard({
      env: Object.fromEntries(
        UPSTREAM_NAMES.map((name) => [`${name.toUpperCase().replaceAll('-', '_')}_URL`, upstream.url]),
      ),
      now: () => Date.now() + clockOffset,
      storeFromSandbox: true,
    }),
  );
  const fixtures: Record<string, string> = {};
  let clockOffset = 0;

  before(async () => {
    await prepareFixtures();
    await prepareData();
  });

  async function prepareFixtures(): Promise<void> {
    const admin = elsewhere(await dashboard.signIn('admin'));
    const viewer = elsewhere(await dashboard.signIn('viewer'));
    clockOffset = -9 * 3_600_000;
    const expired = elsewhere(await dashboard.signIn('admin'));
    clockOffset = 0;
    const other = await startDashboard({ deployment: 'workforce' });
    const wrongKey = await startDashboard({ env: { SESSION_SIGNING_KEY: WRONG_KEY } });
    if (from !== undefined) await dashboard.restart(openidVariables(issuer.url, from));
    const [payload = '', tag = ''] = admin.split('.');
    const [viewerPayload = '', viewerTag = ''] = viewer.split('.');
    const claims = JSON.parse(Buffer.from(viewerPayload, 'base64url').toString()) as object;
    const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
    const adminClaims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as { expiresAt: number };
    const login = await visit(`${dashboard.url}/api/auth/login`, new CookieJar());
    Object.assign(fixtures, {
      ADMIN: admin,
      VIEWER: viewer,
      EXPIRED: expired,
      OTHER_DEPLOYMENT: elsewhere(await other.signIn('admin')),
      WRONG_KEY_ADMIN: elsewhere(await wrongKey.signIn('admin'), WRONG_KEY),
      ADMIN_BITFLIP_PAYLOAD: `${flip(payload, 10)}.${tag}`,
      ADMIN_BITFLIP_SIG: `${payload}.${flip(tag, 5)}`,
      ADMIN_LASTCHAR_CHANGED: flip(admin, admin.length - 1),
      ADMIN_TRUNCATED_SIG: admin.slice(0, -4),
      ADMIN_NO_SIG: payload,
      ADMIN_SIG_EMPTY: `${payload}.`,
      VIEWER_PAYLOAD_ROLE_ADMIN: `${encode({ ...claims, role: 'admin' })}.${viewerTag}`,
      ADMIN_EXP_EXTENDED: `${encode({ ...adminClaims, expiresAt: adminClaims.expiresAt + 86_400 })}.${tag}`,
      STATE_COOKIE_AS_SESSION: /oauth_state=([^;]+)/.exec(login.headers.getSetCookie().join())?.[1] ?? '',
    });
    await other.close();
    await wrongKey.close();
  }

  async function prepareData(): Promise<void> {
    const session = fixtures.ADMIN;
    for (const key of ['probe.key', 'Mixed.Key', 'a/b', 'a b', 'a%b'])
      assert.equal(
        (await dashboard.call('/api/settings', { session, json: { key, value: PROTECTED_MARKER } })).status,
        201,
      );
    for (const name of UPSTREAM_NAMES)
      await dashboard.call('/api/settings', {
        session,
        json: { key: `upstream.${name}.api_key`, value: 'key-of-the-upstream', encrypted: true },
      });
    const layout = { widgets: [], hidden: [ANY_SESSION_MARKER] };
    for (const caller of [session, fixtures.VIEWER])
      assert.equal(
        (await dashboard.call('/api/dashboard/layout', { session: caller, method: 'PUT', json: { layout } })).status,
        200,
      );
  }

  async function problemsOf(entries: CorpusEntry[]): Promise<string[]> {
    const problems: string[] = [];
    const queue = [...entries];
    const work = async (): Promise<void> => {
      for (let entry = queue.shift(); entry !== undefined; entry = queue.shift()) {
        const problem = await tryEntry(entry, dashboard.port, fixtures);
        if (problem !== undefined) problems.push(problem);
      }
    };
    await Promise.all(Array.from({ length: 8 }, work));
    return problems;
  }

  for (const technique of new Set(corpus.map((entry) => entry.technique)))
    it(`get the expected responses and reveal no protected data (technique: ${technique})`, async () => {
      const entries = corpus.filter((entry) => entry.technique === technique);
      assert.deepEqual(await problemsOf(entries), []);
    });
}

describe('attacks on the gate over a raw socket', () => attacks());
for (const from of ['identity', 'email', 'claims'] as const)
  describe(`attacks on the gate over a raw socket, with operators by ${from} at an OpenID provider`, () =>
    attacks(from));

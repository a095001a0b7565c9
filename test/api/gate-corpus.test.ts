import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { UPSTREAM_NAMES } from '../../shared/upstreams.ts';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import {
  ANY_SESSION_MARKER,
  type CorpusEntry,
  gateCorpus,
  PROTECTED_MARKER,
  tryEntry,
} from '../support/gate-corpus.ts';
import { CookieJar, visit } from '../support/http-sign-in.ts';

/** Answers every request with what it received; the identity list carries the marker that only an admin may read. */
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

describe('attack paths on a raw socket', () => {
  const corpus = gateCorpus();
  let upstream: Server;
  let dashboard: Dashboard;
  const fixtures: Record<string, string> = {};
  let clockOffset = 0;

  before(async () => {
    upstream = echoingUpstream().listen(0, '127.0.0.1');
    await new Promise((resolve) => upstream.once('listening', resolve));
    const address = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
    dashboard = await startDashboard({
      env: Object.fromEntries(
        UPSTREAM_NAMES.map((name) => [`${name.toUpperCase().replaceAll('-', '_')}_URL`, address]),
      ),
      now: () => Date.now() + clockOffset,
      storeFromSandbox: true,
    });
    await prepareFixtures();
    await prepareData();
  });
  after(async () => {
    await dashboard?.close();
    upstream?.close();
    upstream?.closeAllConnections();
  });

  async function prepareFixtures(): Promise<void> {
    const admin = await dashboard.signIn('admin');
    const viewer = await dashboard.signIn('viewer');
    clockOffset = -9 * 3_600_000;
    const expired = await dashboard.signIn('admin');
    clockOffset = 0;
    const other = await startDashboard({ deployment: 'workforce' });
    const wrongKey = await startDashboard({
      env: { SESSION_SIGNING_KEY: 'quite-another-signing-key-0123456789-abcdef' },
    });
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
      OTHER_DEPLOYMENT: await other.signIn('admin'),
      WRONG_KEY_ADMIN: await wrongKey.signIn('admin'),
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
    for (const who of [session, fixtures.VIEWER])
      assert.equal(
        (await dashboard.call('/api/dashboard/layout', { session: who, method: 'PUT', json: { layout } })).status,
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
    it(`of the kind ${technique} reveal nothing`, async () => {
      const entries = corpus.filter((entry) => entry.technique === technique);
      assert.deepEqual(await problemsOf(entries), []);
    });
});

import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Upstream } from '../../../server/config/config.ts';
import { createCredentials } from '../../../server/upstream/credentials.ts';
import { writeHead } from '../../../server/upstream/proxy/answer.ts';
import { headersForUpstream } from '../../../server/upstream/proxy/forwarded-headers.ts';
import { idleTimeout } from '../../../server/upstream/proxy/idle-timeout.ts';
import { ownAddresses } from '../../../server/upstream/proxy/own-addresses.ts';
import { ownCookies } from '../../../server/upstream/proxy/own-cookies.ts';
import { isRefusedPath } from '../../../server/upstream/proxy/refused-paths.ts';
import { upstreamsAt } from '../../support/proxy-app.ts';

/** What each rule costs by itself, in microseconds for one request of a browser: the best of many rounds, as JSON. */
const OAUTH_ADMIN = 'http://127.0.0.1:4445';
const [upstream] = upstreamsAt({ 'oauth-admin': OAUTH_ADMIN }).filter(({ url }) => url !== undefined) as [Upstream];
const asked = [
  ...['Host', 'localhost:3000', 'User-Agent', 'Mozilla/5.0 (X11; Linux x86_64) Chrome/156', 'Accept', '*/*'],
  ...['Accept-Encoding', 'gzip, deflate, br', 'Sec-Fetch-Site', 'same-origin', 'Referer', 'http://localhost:3000/'],
];
const cookie = `dashboard-session=${'x'.repeat(300)}; ory_kratos_session=${'y'.repeat(100)}`;
const answered = [
  ...[
    'Content-Type',
    'application/json; charset=utf-8',
    'Content-Length',
    '1234',
    'Date',
    'Mon, 02 Jan 2006 15:04:05 GMT',
  ],
  ...['Cache-Control', 'private, no-cache, no-store, must-revalidate', 'Vary', 'Cookie', 'Connection', 'keep-alive'],
];
const link =
  '</admin/clients?page_size=250&page_token=abc>; rel="first",</admin/clients?page_size=250&page_token=def>; rel="next"';

const cookies = ownCookies(['dashboard-session', 'oauth_state', '__Host-dashboard-login', 'dashboard-login']);
const addresses = ownAddresses([upstream], { ...upstream, url: OAUTH_ADMIN });
const secret = { value: 'ory_pat_0123456789', encrypted: true };
const authorization = createCredentials(async () => secret);
const req = new IncomingMessage(new Socket());
const answer = Object.assign(new IncomingMessage(new Socket()), { statusCode: 200, rawHeaders: answered });

const rules: Record<string, () => void> = {
  'header lists, to the upstream': () => void headersForUpstream(asked, (_name, value) => value),
  'own cookies stripped': () => void cookies.strip(cookie),
  'stored key, cached': () => void authorization('oauth-admin'),
  'private keys refused': () => void isRefusedPath(upstream, '/admin/clients?page_size=250'),
  'header lists and policy, to the caller': () =>
    void writeHead(answer, new ServerResponse(req), '/admin/clients', { addresses, cookies }),
  'addresses of a Link rewritten': () => void addresses.links(link, '/admin/clients'),
  'silence clock': () => {
    const clock = idleTimeout(5000, () => {});
    for (const move of [clock.hold, clock.touch, clock.touch, clock.touch, clock.stop]) move();
  },
};

function best(rule: () => void): number {
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 40; round += 1) {
    const started = process.hrtime.bigint();
    for (let index = 0; index < 5000; index += 1) rule();
    least = Math.min(least, Number(process.hrtime.bigint() - started) / 5_000_000);
  }
  return least;
}

process.stdout.write(
  JSON.stringify(Object.fromEntries(Object.entries(rules).map(([name, rule]) => [name, best(rule)]))),
);
process.exit();

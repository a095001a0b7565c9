import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.ts';
import { type Network, startNetwork } from '../support/nginx.ts';
import { describeWith } from '../support/tools.ts';

const file = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../deploy/nginx/${name}`, import.meta.url)), 'utf8');
const [, documented = ''] = /^( {2}location \/ \{\n[^}]*\}\n)/m.exec(file('dashboard.conf')) ?? [];
const DASHBOARD = 'http://127.0.0.1:3000';
const NAMING = /^ *proxy_set_header X-Forwarded-For .*\n/m;

describeWith('nginx', 'nginx in front, with the lines of its file', () => {
  let network: Network;
  let front: { byCount: number; byAddress: number; nameless: number };
  let callers: { inside: string[]; outside: string[] };

  before(async () => {
    assert.ok(documented.includes(DASHBOARD) && NAMING.test(documented), documented);
    network = await startNetwork();
    callers = network.isolated
      ? { inside: ['127.0.0.1', '10.1.2.3', 'fd00::3'], outside: ['203.0.113.9', '2001:db8::9'] }
      : { inside: ['127.0.0.1'], outside: [] };
    const behindNginx = async (trusted: string, location = documented): Promise<number> => {
      const port = await network.start({
        NODE_ENV: 'production',
        BASE_URL: 'https://dashboard.example',
        PROXY_REQUIRE_SESSION: 'outside',
        TRUST_PROXY: trusted,
      });
      return network.startNginx(location.replace(DASHBOARD, `http://127.0.0.1:${port}`));
    };
    front = {
      byCount: await behindNginx('1'),
      byAddress: await behindNginx('127.0.0.1'),
      nameless: await behindNginx('1', documented.replace(NAMING, '')),
    };
  });
  after(() => network?.close());

  const IDENTITIES = '/api/identity-admin/admin/identities';
  const request = (line: string, headers: readonly string[], body = ''): string =>
    [`${line} HTTP/1.1`, 'Host: dashboard.example', ...headers, 'Connection: close', '', body].join('\r\n');
  async function assertStatus(status: number, from: string, port: number, headers: readonly string[]): Promise<void> {
    const before = await network.upstreamRequests();
    const { received } = await network.speak(from, port, request(`GET ${IDENTITIES}`, headers));
    assert.match(received, new RegExp(`^HTTP/1.1 ${status} `), `${from} ${headers}`);
    assert.equal((await network.upstreamRequests()) - before, status === 200 ? 1 : 0);
  }
  const inventions = ['10.1.2.3', '127.0.0.1, ::1', 'unknown', ''].map((value) => `X-Forwarded-For: ${value}`);

  it('a caller from outside stays outside, whatever it claims', async () => {
    for (const port of [front.byCount, front.byAddress])
      for (const from of callers.outside)
        for (const headers of [[], ...inventions.map((header) => [header]), inventions])
          await assertStatus(401, from, port, headers);
  });

  it('a caller from inside stays inside, whatever it claims', async () => {
    for (const from of callers.inside)
      for (const headers of [[], ['X-Forwarded-For: 203.0.113.9']])
        await assertStatus(200, from, front.byCount, headers);
    // The proxy's own address is not a caller's.
    await assertStatus(401, '127.0.0.1', front.byAddress, []);
  });

  it('without the line that names the caller nobody is inside, and the log says why', async () => {
    for (const from of [...callers.inside, ...callers.outside]) await assertStatus(401, from, front.nameless, []);
    await eventually(network.output, /"status":401,[^\n]*"decidedBy":"TRUST_PROXY"/);
  });
});

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { eventually } from '../support/eventually.ts';
import { startNetwork } from '../support/nginx.ts';
import { ofSuite } from '../support/of-suite.ts';
import { describeWith } from '../support/tools.ts';

const file = (name: string): string =>
  readFileSync(fileURLToPath(new URL(`../../deploy/nginx/${name}`, import.meta.url)), 'utf8');
const [, documented = ''] = /^( {2}location \/ \{\n[^}]*\}\n)/m.exec(file('dashboard.conf')) ?? [];
const DASHBOARD = 'http://127.0.0.1:3000';
const NAMES_CALLER = /^ *proxy_set_header X-Forwarded-For .*\n/m;

describeWith('nginx', 'the service behind nginx with the configuration in deploy/nginx', () => {
  const network = ofSuite(startNetwork);
  /**
   * The ports of nginx: with TRUST_PROXY as a count of hops, with TRUST_PROXY as an address, and without the header that
   * names the caller.
   */
  let port: { byCount: number; byAddress: number; nameless: number };
  let callers: { inside: string[]; outside: string[] };

  before(async () => {
    assert.ok(documented.includes(DASHBOARD) && NAMES_CALLER.test(documented), documented);
    callers = network.isolated
      ? { inside: ['127.0.0.1', '10.1.2.3', 'fd00::3'], outside: ['203.0.113.9', '2001:db8::9'] }
      : { inside: ['127.0.0.1'], outside: [] };
    const behindNginx = async (trusted: string, location = documented): Promise<number> => {
      const service = await network.start({
        NODE_ENV: 'production',
        BASE_URL: 'https://dashboard.example',
        PROXY_REQUIRE_SESSION: 'outside',
        TRUST_PROXY: trusted,
      });
      return network.startNginx(location.replace(DASHBOARD, `http://127.0.0.1:${service}`));
    };
    port = {
      byCount: await behindNginx('1'),
      byAddress: await behindNginx('127.0.0.1'),
      nameless: await behindNginx('1', documented.replace(NAMES_CALLER, '')),
    };
  });

  async function assertStatus(status: number, from: string, at: number, headers: readonly string[]): Promise<void> {
    const before = await network.upstreamRequests();
    const line = 'GET /api/identity-admin/admin/identities HTTP/1.1';
    const request = [line, 'Host: dashboard.example', ...headers, 'Connection: close', '', ''].join('\r\n');
    const { received } = await network.exchange(from, at, request);
    assert.match(received, new RegExp(`^HTTP/1.1 ${status} `), `${from} ${headers}`);
    assert.equal((await network.upstreamRequests()) - before, status === 200 ? 1 : 0);
  }
  const forged = ['10.1.2.3', '127.0.0.1, ::1', 'unknown', ''].map((value) => `X-Forwarded-For: ${value}`);

  it('requires a session from a caller outside private networks, whatever address it claims', async () => {
    for (const at of [port.byCount, port.byAddress])
      for (const from of callers.outside)
        for (const headers of [[], ...forged.map((header) => [header]), forged])
          await assertStatus(401, from, at, headers);
  });

  it('requires no session from a caller inside private networks, whatever address it claims', async () => {
    for (const from of callers.inside)
      for (const headers of [[], ['X-Forwarded-For: 203.0.113.9']])
        await assertStatus(200, from, port.byCount, headers);
    // With this TRUST_PROXY, the address of nginx is that of a proxy, never of a caller.
    await assertStatus(401, '127.0.0.1', port.byAddress, []);
  });

  it('requires a session from every caller if nginx forwards no addresses, and logs the reason', async () => {
    for (const from of [...callers.inside, ...callers.outside]) await assertStatus(401, from, port.nameless, []);
    await eventually(network.output, /"status":401,[^\n]*"decidedBy":"TRUST_PROXY"/);
  });
});

import assert from 'node:assert/strict';
import { networkInterfaces } from 'node:os';
import { callAt } from '../support/http-sign-in.ts';
import { freePort } from '../support/loopback.ts';
import { ofSuite } from '../support/of-suite.ts';
import { type ServiceProcess, startServiceProcess } from '../support/processes.ts';
import { RawConnection, requestHead } from '../support/raw-client.ts';
import { rawResponse, startRawUpstream } from '../support/raw-upstream.ts';
import { describeWhere } from '../support/tools.ts';

const hasIPv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

describeWhere(hasIPv6, 'IPv6 on loopback', 'the service with HOST=:: and METRICS_HOST=::', () => {
  const upstream = ofSuite(() =>
    startRawUpstream((_request, socket) => void socket.write(rawResponse('200 OK', [], 'fine'))),
  );
  let metricsPort: number;
  let service: ServiceProcess;

  afterEach(() => service.close());

  async function start(env: Record<string, string> = {}): Promise<void> {
    metricsPort = await freePort();
    service = await startServiceProcess({
      HOST: '::',
      METRICS_HOST: '::',
      METRICS_PORT: String(metricsPort),
      IDENTITY_ADMIN_URL: upstream.url,
      PROXY_REQUIRE_SESSION: 'outside',
      ...env,
    });
  }
  const statusOf = async (host: string, path: string, port = service.port): Promise<number> =>
    (await callAt(`http://${host}:${port}`, path)).status;
  /** Sends a write. @returns its status, and the author's address in the audit trail and at the upstream */
  async function authorOf(headers: Record<string, string> = {}): Promise<unknown> {
    const path = '/api/identity-admin/admin/identities/x';
    const { status } = await callAt(`http://127.0.0.1:${service.port}`, path, { method: 'DELETE', headers });
    const peer = (await service.running.untilPrinted(/"action":"proxy_write".*"peer":"([^"]*)"/))[1];
    return { status, peer, forwarded: upstream.requests.at(-1)?.header('x-forwarded-for') };
  }

  it('serves IPv4 and IPv6 clients on both ports', async () => {
    await start();
    for (const host of ['127.0.0.1', '[::1]']) {
      assert.equal(await statusOf(host, '/api/health'), 200, host);
      for (const path of ['/metrics', '/api/health?probe=live', '/api/health?probe=ready'])
        assert.equal(await statusOf(host, path, metricsPort), 200, `${host} ${path}`);
    }
  });

  it('reports IPv4 clients by their IPv4 addresses in upstream headers, audit records and log lines', async () => {
    await start({ KEEP_ALIVE_SECONDS: '1' });
    assert.deepEqual(await authorOf(), { status: 200, peer: '127.0.0.1', forwarded: ['127.0.0.1'] });
    const idle = await RawConnection.open(service.port);
    idle.write(requestHead('GET /api/health'));
    const [, peer] = await service.running.untilPrinted(/"peer":"([^"]*)","why":"idle"/);
    assert.equal(peer, '127.0.0.1');
    idle.close();
  });

  it('trusts direct and preceding proxies by the IPv4 addresses in TRUST_PROXY', async () => {
    await start({ TRUST_PROXY: '127.0.0.1,10.1.0.0/16' });
    const headers = { 'x-forwarded-for': '192.168.7.7, ::ffff:10.1.2.3' };
    assert.deepEqual(await authorOf(headers), { status: 200, peer: '192.168.7.7', forwarded: ['192.168.7.7'] });
  });
});

import assert from 'node:assert/strict';
import { type Network, type Received, startNetwork } from '../support/nginx.ts';

/** Peers inside and outside the default ALLOWED_NETWORKS. */
const ISOLATED = {
  env: {},
  inside: ['127.0.0.1', '10.1.2.3', 'fd00::3'],
  outside: ['203.0.113.9', '2001:db8::9'],
  proxy: '10.9.9.9',
};
/** Without a network namespace, every peer is a loopback address, of which only some are allowed. */
const LOOPBACK: typeof ISOLATED = {
  env: { ALLOWED_NETWORKS: '127.0.0.1,127.0.0.3,127.0.0.4,::1' },
  inside: ['127.0.0.1', '127.0.0.3', '::1'],
  outside: ['127.0.0.2'],
  proxy: '127.0.0.4',
};

describe('the workforce port', () => {
  let network: Network;
  let peers: typeof ISOLATED;
  let port: { byDefault: number; open: number; behindProxy: number };

  before(async () => {
    network = await startNetwork();
    peers = network.isolated ? ISOLATED : LOOPBACK;
    const start = (env: Record<string, string>): Promise<number> =>
      network.start({ DEPLOYMENT: 'workforce', ...peers.env, ...env });
    const production = {
      NODE_ENV: 'production',
      BASE_URL: 'https://workforce.example',
      OPERATOR_SCHEMA_IDS: 'any',
      PROXY_REQUIRE_SESSION: 'outside',
    };
    const [byDefault, open, behindProxy] = await Promise.all([
      // An empty variable counts as absent; a namespace has port 4000 free.
      start(network.isolated ? { PORT: '' } : {}),
      // Listens for both families, so that the addresses of IPv4 peers have their IPv6 form.
      start({ ...production, HOST: '::' }),
      start({
        ...production,
        HOST: '0.0.0.0',
        TRUST_PROXY: peers.proxy,
        ...(network.isolated ? { ALLOWED_NETWORKS: '10.0.0.0/8,198.51.100.7' } : {}),
      }),
    ]);
    port = { byDefault, open, behindProxy };
  });
  after(() => network.close());

  const get = (from: string, at: number, headers: readonly string[] = []): Promise<Received> =>
    network.exchange(
      from,
      at,
      [
        'GET /api/iam-identity-admin/x HTTP/1.1',
        'Host: workforce.example',
        ...headers,
        'Connection: close',
        '',
        '',
      ].join('\r\n'),
    );
  async function assertStatus(
    status: number,
    from: string,
    at: number,
    headers: readonly string[] = [],
  ): Promise<void> {
    const before = await network.upstreamRequests();
    const { received } = await get(from, at, headers);
    assert.match(received, new RegExp(`^HTTP/1.1 ${status} `), `${from} ${headers}`);
    assert.equal((await network.upstreamRequests()) - before, status === 200 ? 1 : 0);
  }

  it('listens only on 127.0.0.1:4000 unless HOST and PORT are set', async () => {
    if (network.isolated) assert.equal(port.byDefault, 4000);
    const request = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n';
    assert.match((await network.exchange('127.0.0.1', port.byDefault, request)).received, /^HTTP\/1.1 200 /);
    for (const address of [...peers.inside, ...peers.outside, '127.0.0.2', '::1'])
      if (address !== '127.0.0.1')
        assert.deepEqual(
          await network.exchange(address, port.byDefault, request),
          { refused: true, received: '' },
          address,
        );
  });

  it('disconnects a peer outside ALLOWED_NETWORKS at once, and responds to nothing that it sends', async () => {
    for (const from of peers.outside) {
      for (const bytes of ['', 'NONSENSE\r\n\r\n'])
        assert.deepEqual(await network.exchange(from, port.open, bytes), { refused: false, received: '' }, from);
      for (const forwarded of [undefined, 'X-Forwarded-For: 10.1.2.3', 'Forwarded: for=127.0.0.1'])
        assert.equal((await get(from, port.open, forwarded === undefined ? [] : [forwarded])).received, '', from);
    }
    assert.doesNotMatch(await network.output(), /unreadable request|iam-identity-admin/);
    assert.equal(await network.upstreamRequests(), 0);
  });

  it('serves a peer inside ALLOWED_NETWORKS, over IPv6 and with an IPv4 address in IPv6 form', async () => {
    for (const from of peers.inside) await assertStatus(200, from, port.open);
  });

  it('trusts only the last address in the X-Forwarded-For of a TRUST_PROXY hop', async () => {
    const forwarded = (...addresses: string[]): string[] => [`X-Forwarded-For: ${addresses.join(', ')}`];
    const { proxy } = peers;
    await assertStatus(200, proxy, port.behindProxy, forwarded('10.1.2.3'));
    await assertStatus(200, proxy, port.behindProxy, forwarded('203.0.113.9', '10.1.2.3'));
    await assertStatus(401, proxy, port.behindProxy, forwarded('10.1.2.3', '203.0.113.9'));
    await assertStatus(401, proxy, port.behindProxy, forwarded('10.1.2.3', 'nonsense'));
    // A proxy that forwards no addresses would make all callers look like itself.
    await assertStatus(401, proxy, port.behindProxy);
    // Headers of a peer other than the proxy are not trusted: it may be a caller, or a proxy that was not configured.
    const other = network.isolated ? '10.1.2.3' : '127.0.0.3';
    await assertStatus(401, other, port.behindProxy, forwarded('10.1.2.3'));
    await assertStatus(401, other, port.behindProxy);
    if (network.isolated) {
      await assertStatus(401, '198.51.100.7', port.behindProxy);
      await assertStatus(401, '198.51.100.7', port.behindProxy, forwarded('10.1.2.3'));
      assert.equal((await get('203.0.113.9', port.behindProxy, forwarded('10.1.2.3'))).received, '');
    }
  });
});

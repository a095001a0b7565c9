import assert from 'node:assert/strict';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { parseResponses, type RawResponse, rawBytes } from '../support/raw-exchange.ts';

describe('HTTP server', () => {
  let dashboard: Dashboard;
  let admin: string;

  before(async () => {
    dashboard = await startDashboard({ env: { KEEP_ALIVE_SECONDS: '1' } });
    admin = await dashboard.signIn('admin');
  });
  after(() => dashboard.close());

  /** Until the server closes the connection. */
  async function exchange(bytes: string): Promise<RawResponse[]> {
    return parseResponses(await rawBytes(dashboard.port, bytes, 30_000), false);
  }
  const get = (path: string, ...headers: string[]): string =>
    `GET ${path} HTTP/1.1\r\n${['Host: localhost', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;

  function assertError(response: RawResponse | undefined, status: number, code: string): void {
    assert.equal(response?.status, status);
    assert.equal(response.headers['content-type'], 'application/json');
    assert.equal((JSON.parse(response.body) as { error: string }).error, code);
    assert.match(response.headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/);
  }

  const refused: [string, string, number, string][] = [
    ['a request line it cannot read', 'NONSENSE\r\n\r\n', 400, 'bad_request'],
    [
      'two lengths',
      'POST /api/health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      400,
      'bad_request',
    ],
    ['headers over 16 KiB', get('/', `X: ${'x'.repeat(17_000)}`), 431, 'headers_too_large'],
    ['an unknown expectation', get('/api/health', 'Expect: a-miracle'), 417, 'expectation_failed'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', 405, 'method_not_allowed'],
    [
      'a foreign host name',
      'GET /api/health HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n',
      421,
      'misdirected_request',
    ],
    ['a WebSocket on a public route', get('/api/health', 'Upgrade: websocket'), 400, 'bad_request'],
    ['TRACE on a public route', get('/api/health').replace('GET', 'TRACE'), 405, 'method_not_allowed'],
  ];
  for (const [title, bytes, status, code] of refused)
    it(`answers ${title} with ${status} ${code} in the error shape`, async () => {
      const responses = await exchange(bytes);
      assert.equal(responses.length, 1);
      assertError(responses[0], status, code);
    });

  for (const target of ['http://[', 'http://?x', 'http://xn--0/'])
    it(`the gate decides on ${target} too, which Express cannot parse`, async () => {
      assertError((await exchange(get(target)))[0], 401, 'not_authenticated');
      assertError((await exchange(get(target, `Cookie: dashboard-session=${admin}`)))[0], 404, 'not_found');
    });

  for (const [title, doubtful] of [
    ['another transfer coding', 'POST /api/health HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: identity\r\n\r\n'],
    [
      'a chunked body in HTTP/1.0',
      'POST /api/health HTTP/1.0\r\nHost: localhost\r\nConnection: keep-alive\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
    ],
    ['two Hosts', 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n'],
    ['no Host', 'GET /api/health HTTP/1.1\r\nConnection: keep-alive\r\n\r\n'],
  ] as const)
    it(`closes the connection when framing is ambiguous (${title}), and treats nothing after it as a request`, async () => {
      const [first, ...more] = await exchange(`${doubtful}GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      assertError(first, 400, 'bad_request');
      assert.equal(first?.headers.connection, 'close');
      assert.deepEqual(more, []);
    });

  it('refuses a WebSocket on a gated route only to those who may pass', async () => {
    const upgrade = ['Connection: Upgrade', 'Upgrade: websocket'];
    assertError((await exchange(get('/api/config', ...upgrade)))[0], 401, 'not_authenticated');
    assertError(
      (await exchange(get('/api/config', `Cookie: dashboard-session=${admin}`, ...upgrade)))[0],
      400,
      'bad_request',
    );
  });

  it('serves health, and nothing else, to probes of load balancers that name no host', async () => {
    const statusFor = async (line: string, ...headers: string[]) =>
      (await exchange(`${[line, 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`))[0]?.status;
    for (const method of ['GET', 'HEAD'])
      for (const path of ['/api/health', '/api/health?probe=live']) {
        assert.equal(await statusFor(`${method} ${path} HTTP/1.0`), 200);
        for (const version of ['1.0', '1.1'])
          assert.equal(await statusFor(`${method} ${path} HTTP/${version}`, 'Host:'), 200);
        assert.equal(await statusFor(`${method} ${path} HTTP/1.1`), 400);
        assert.equal(await statusFor(`${method} ${path} HTTP/1.0`, 'Host:', 'Host:'), 400);
        assert.equal(await statusFor(`${method} ${path} HTTP/1.0`, 'Host: rebound.example'), 421);
      }
    for (const other of ['POST /api/health', 'GET /', 'GET /api/healthy', 'GET /api/connections/social'])
      assert.deepEqual(
        [await statusFor(`${other} HTTP/1.0`), await statusFor(`${other} HTTP/1.1`, 'Host:')],
        [400, 421],
      );
  });

  it('closes a connection after KEEP_ALIVE_SECONDS without a request, as it has announced', async () => {
    const [response] = await exchange('GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n');
    assert.deepEqual([response?.headers.connection, response?.headers['keep-alive']], ['keep-alive', 'timeout=1']);
  });

  it('keeps a connection open for the next requests, and answers them in order', async () => {
    const one = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const responses = await exchange(one + one + get('/api/settings'));
    assert.deepEqual(
      responses.map(({ status }) => status),
      [200, 200, 401],
    );
  });
});

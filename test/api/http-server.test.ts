import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { parseAnswers, type RawAnswer, rawBytes } from '../support/raw-exchange.ts';

describe('HTTP server', () => {
  let dashboard: Dashboard;
  let admin: string;

  before(async () => {
    dashboard = await startDashboard();
    admin = await dashboard.signIn('admin');
  });
  after(() => dashboard.close());

  async function exchange(bytes: string, waitMs = 1500): Promise<RawAnswer[]> {
    return parseAnswers(await rawBytes(dashboard.port, bytes, waitMs), false);
  }
  const get = (path: string, ...headers: string[]): string =>
    `GET ${path} HTTP/1.1\r\n${['Host: localhost', 'Connection: close', ...headers].join('\r\n')}\r\n\r\n`;

  function assertError(answer: RawAnswer | undefined, status: number, code: string): void {
    assert.equal(answer?.status, status);
    assert.equal(answer.headers['content-type'], 'application/json');
    assert.equal((JSON.parse(answer.body) as { error: string }).error, code);
    assert.match(answer.headers['x-request-id'] ?? '', /^[0-9a-f-]{36}$/);
  }

  const refused: [string, string, number, string][] = [
    ['a request line it cannot read', 'NONSENSE\r\n\r\n', 400, 'bad_request'],
    ['no Host', 'GET /api/health HTTP/1.1\r\n\r\n', 400, 'bad_request'],
    ['two Hosts', 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n', 400, 'bad_request'],
    ['HTTP/2.0 on the request line', 'GET /api/health HTTP/2.0\r\nHost: localhost\r\n\r\n', 400, 'bad_request'],
    [
      'another transfer coding',
      'POST /api/health HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n',
      400,
      'bad_request',
    ],
    [
      'two lengths',
      'POST /api/health HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx',
      400,
      'bad_request',
    ],
    [
      'headers over 16 KiB',
      `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`,
      431,
      'headers_too_large',
    ],
    ['an unknown expectation', get('/api/health', 'Expect: a-miracle'), 417, 'expectation_failed'],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: localhost\r\n\r\n', 405, 'method_not_allowed'],
    ['a foreign host name', 'GET /api/health HTTP/1.1\r\nHost: rebound.example\r\n\r\n', 421, 'misdirected_request'],
    ['a WebSocket on a public route', get('/api/health', 'Upgrade: websocket'), 400, 'bad_request'],
    ['TRACE on a public route', get('/api/health').replace('GET', 'TRACE'), 405, 'method_not_allowed'],
  ];
  for (const [title, bytes, status, code] of refused)
    it(`answers ${title} with ${status} ${code} in the error shape`, async () => {
      const answers = await exchange(bytes);
      assert.equal(answers.length, 1);
      assertError(answers[0], status, code);
    });

  for (const target of ['http://[', 'http://', 'http://?x', 'HTTP://[::1%25/', 'http://xn--0/'])
    it(`the gate decides on ${target} too, which Express cannot parse`, async () => {
      assertError((await exchange(get(target)))[0], 401, 'not_authenticated');
      assertError((await exchange(get(target, `Cookie: dashboard-session=${admin}`)))[0], 404, 'not_found');
    });

  for (const [title, doubtful] of [
    ['another transfer coding', 'POST /api/health HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: identity\r\n\r\n'],
    ['two Hosts', 'GET /api/health HTTP/1.1\r\nHost: localhost\r\nHost: localhost\r\n\r\n'],
    ['no Host', 'GET /api/health HTTP/1.1\r\nConnection: keep-alive\r\n\r\n'],
  ] as const)
    it(`closes the connection when framing is ambiguous (${title}), and treats nothing after it as a request`, async () => {
      const [first, ...more] = await exchange(`${doubtful}GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n`);
      assertError(first, 400, 'bad_request');
      assert.equal(first?.headers.connection, 'close');
      assert.deepEqual(more, []);
    });

  it('reads a chunked body in any spelling of the coding', async () => {
    const body = 'Transfer-Encoding: CHUNKED\r\n\r\n0\r\n\r\n';
    const answers = await exchange(`POST /api/auth/logout HTTP/1.1\r\nHost: localhost\r\n${body}${get('/api/health')}`);
    assert.deepEqual(
      answers.map(({ status }) => status),
      [204, 200],
    );
  });

  it('keeps the connection when the rest of a refused request is short, and serves the next one on it', async () => {
    const post = (framing: string, body: string): string =>
      `POST /api/settings HTTP/1.1\r\nHost: localhost\r\n${framing}\r\n\r\n${body}`;
    // The refusal comes before the body is sent; the body is sent together with the next request.
    const socket = connect(dashboard.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    const holds = async (count: number): Promise<void> => {
      while (received.split('HTTP/1.1 ').length <= count) await once(socket, 'data');
    };
    socket.write(post('Content-Length: 2', ''));
    await holds(1);
    socket.write(`{}${get('/api/health')}`);
    await holds(2);
    socket.destroy();
    assert.match(received, /^HTTP\/1\.1 401 .*HTTP\/1\.1 200 /s);
    assert.doesNotMatch(received.slice(0, received.lastIndexOf('HTTP/1.1 ')), /connection: close/i);
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

  it('ignores other upgrades', async () => {
    assert.equal((await exchange(get('/api/health', 'Upgrade: h2c')))[0]?.status, 200);
  });

  for (const host of [
    'localhost',
    'LOCALHOST:1234',
    'localhost.',
    '127.0.0.1',
    '[::1]:80',
    'other.localhost',
    'dashboard',
    '192.0.2.7',
  ])
    it(`serves Host ${host}`, async () => {
      assert.equal(
        (await exchange(`GET /api/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`))[0]?.status,
        200,
      );
    });
  for (const host of [
    '',
    'evil.test',
    'localhost.evil.test',
    '0.0.0.0',
    '[::]',
    '[::0]',
    'a b',
    'a,b',
    'localhost/x',
    'user@localhost',
    '127.0.0.1.evil.test',
  ])
    it(`does not serve Host ${JSON.stringify(host)}`, async () => {
      assert.equal(
        (await exchange(`GET /api/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`))[0]?.status,
        421,
      );
    });

  it('answers an undecodable parameter with 400, not with a page', async () => {
    const [answer] = await exchange(get('/api/settings/%', `Cookie: dashboard-session=${admin}`));
    assertError(answer, 400, 'bad_request');
  });

  it('answers a body that does not parse, is not UTF-8, too large, coded or of another type', async () => {
    const post = async (body: Buffer | string, headers: Record<string, string>): Promise<[number, string]> => {
      const answer = await fetch(`${dashboard.url}/api/settings`, {
        method: 'POST',
        body: typeof body === 'string' ? body : new Uint8Array(body),
        headers: { cookie: `dashboard-session=${admin}`, ...headers },
      });
      return [answer.status, ((await answer.json()) as { error: string }).error];
    };
    const type = { 'content-type': 'application/json' };
    assert.deepEqual(await post('{"key":', type), [400, 'bad_request']);
    assert.deepEqual(await post(Buffer.from([0x22, 0xff, 0x22]), type), [400, 'bad_request']);
    assert.deepEqual(await post('[]', type), [400, 'bad_request']);
    assert.deepEqual(await post('"text"', type), [400, 'bad_request']);
    assert.deepEqual(await post('null', type), [400, 'bad_request']);
    assert.deepEqual(await post('x'.repeat(530_000), type), [413, 'payload_too_large']);
    assert.deepEqual(await post('{}', { 'content-type': 'text/plain' }), [415, 'unsupported_media_type']);
    assert.deepEqual(await post('{}', { ...type, 'content-encoding': 'gzip' }), [415, 'unsupported_media_type']);
    assert.deepEqual(await post('{}', { 'content-type': 'application/json; charset=latin1' }), [
      415,
      'unsupported_media_type',
    ]);
  });

  it('does not read on after refusing a large body of unknown length', async () => {
    const socket = connect(dashboard.port, '127.0.0.1');
    let received = '';
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
    });
    socket.on('error', () => {});
    socket.write('POST /api/settings HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n');
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    let flowing = true;
    const closed = new Promise<void>((resolve) => {
      socket.once('close', () => {
        flowing = false;
        resolve();
      });
    });
    // The server's own time limit must end this: the sender never would.
    while (flowing) {
      if (!socket.write(chunk)) await Promise.race([closed, new Promise((resolve) => socket.once('drain', resolve))]);
    }
    assert.match(received, /^HTTP\/1\.1 401 /);
    assert.match(received, /"not_authenticated"/);
  });

  it('keeps a connection open for the next request', async () => {
    const one = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
    const answers = await exchange(one + one + get('/api/settings'));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 401],
    );
  });

  it('while it shuts down fails its health, answers what is under way, and then is gone', async () => {
    const closing = await startDashboard();
    const kept = connect(closing.port, '127.0.0.1');
    const answer = (): Promise<string> => new Promise((resolve) => kept.once('data', (data) => resolve(String(data))));
    const request = 'GET /api/health HTTP/1.1\r\nHost: localhost\r\n\r\n';
    kept.write(request);
    assert.match(await answer(), /^HTTP\/1\.1 200 /);
    // Half of a request holds its connection open over the closing of idle ones.
    kept.write(request.slice(0, 20));
    await sleep(20);
    const closed = closing.close();
    await sleep(20);
    kept.write(request.slice(20));
    const last = await answer();
    assert.match(last, /^HTTP\/1\.1 503 /);
    assert.match(last, /\r\nConnection: close\r\n/i);
    await closed;
    await assert.rejects(fetch(`${closing.url}/api/health`));
  });
});

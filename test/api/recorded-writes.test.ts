import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import type { ProxiedWrite } from '../../server/upstream/proxy/record-write.ts';
import { until } from '../support/eventually.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, RawConnection, type RawResponse, sendRaw } from '../support/raw-client.ts';
import { type RawHandler, type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

const TIMEOUT_MS = 10_000;
const WRITE = head('POST /api/identity-admin/admin/identities', ['Content-Length: 0']);

describe('answers to mutations, which wait for their records', () => {
  let upstream: RawUpstream;
  let handler: RawHandler;
  let app: ProxyApp;
  let callers: RawConnection[];
  /** Records that are queued, in order, and what stores each. */
  let queued: { event: ProxiedWrite; store: () => void }[];

  beforeEach(async () => {
    queued = [];
    callers = [];
    upstream = await startRawUpstream((request, socket) => handler(request, socket));
    app = await startProxyApp(
      { identity: upstream.url, 'identity-admin': upstream.url },
      {
        timeoutMs: TIMEOUT_MS,
        recordWrite: (event) => new Promise((store) => void queued.push({ event, store })),
      },
    );
  });
  afterEach(async () => {
    for (const caller of callers) caller.close();
    await app.close();
    await upstream.close();
  });

  const send = async (request = WRITE): Promise<RawConnection> => {
    const caller = await RawConnection.open(app.port);
    callers.push(caller);
    caller.write(request);
    return caller;
  };
  const recorded = (count: number): Promise<void> => until(() => queued.length === count);
  /** Unrelated reads pass through the same proxy. */
  const others = async (): Promise<void> => {
    const { status } = await sendRaw(app.port, head('GET /api/identity-admin/x'));
    assert.equal(status, 200);
  };
  const answering =
    (bytes: string): RawHandler =>
    (request, socket) =>
      void socket.write(request.method === 'GET' ? rawResponse('200 OK', []) : bytes);

  const body = (bytes: number): string => '0123456789abcdef'.repeat(bytes / 16);
  const chunks = (text: string): string =>
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  /** A caller who receives nothing before their record is stored; stores it. */
  async function heldCaller(): ReturnType<typeof send> {
    const caller = await send();
    await recorded(1);
    await others();
    assert.equal(caller.pendingBytes, 0);
    queued[0]?.store();
    return caller;
  }
  const ANSWERS: [what: string, bytes: string, status: number, body: string][] = [
    ['a short body', rawResponse('201 Created', ['Location: /admin/identities/7'], '{"id":7}'), 201, '{"id":7}'],
    ['a chunked megabyte', chunks(body(1_048_576)), 200, body(1_048_576)],
    ['a redirect without its body', rawResponse('302 Found', [`Location: http://other.example/x`], 'moved'), 302, ''],
  ];
  for (const [what, bytes, status, expected] of ANSWERS)
    it(`${what}: nothing leaves before, and all of it afterwards`, async () => {
      handler = answering(bytes);
      const caller = await heldCaller();
      const result = await caller.response();
      assert.deepEqual([result.status, result.complete], [status, true]);
      assert.ok(result.body.toString() === expected);
      caller.write(WRITE);
      await recorded(2);
      queued[1]?.store();
      assert.equal((await caller.response()).status, status);
    });

  it('a body that begins late: no byte before, and then the head without it', async () => {
    let late: Socket | undefined;
    handler = (request, socket) => {
      if (request.method !== 'GET') late = socket;
      socket.write(
        request.method === 'GET' ? rawResponse('200 OK', []) : 'HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n',
      );
    };
    const caller = await heldCaller();
    await caller.until(() => caller.pending.endsWith('\r\n\r\n'));
    late?.write('{}');
    assert.equal((await caller.response()).body.toString(), '{}');
  });

  for (const type of ['application/json', 'text/html'])
    it(`an upstream’s refusal as ${type} waits too`, async () => {
      handler = answering(rawResponse('409 Conflict', [`Content-Type: ${type}`], '{"error":{"reason":"taken"}}'));
      const caller = await heldCaller();
      const result = await caller.response();
      assert.deepEqual([result.status, JSON.parse(result.body.toString()).error], [409, 'upstream_error']);
      assert.equal(queued.length, 1);
    });

  it('however many wait, the upstream’s connections serve others', async () => {
    handler = answering(rawResponse('200 OK', [], body(48_000)));
    const waiting = await Promise.all(Array.from({ length: 150 }, () => send()));
    await recorded(150);
    await others();
    for (const { store } of queued) store();
    const responses = await Promise.all(waiting.map((caller) => caller.response()));
    assert.deepEqual(new Set(responses.map(({ body }) => body.length)), new Set([48_000]));
  });

  it('there is exactly one record at whatever byte the upstream breaks off, and the answer never looks complete', async () => {
    const whole = rawResponse('201 Created', [], 'created');
    const begins = whole.indexOf('created');
    for (let cut = 0; cut < whole.length; cut += 1) {
      queued.length = 0;
      handler = (request, socket) => {
        if (request.method === 'GET') socket.write(rawResponse('200 OK', []));
        else socket.end(whole.slice(0, cut));
      };
      const caller = await send();
      // Answered by then if no answer had begun, otherwise broken off while the record is being stored.
      const result: Pick<RawResponse, 'status'> = await caller.response().catch(() => ({ status: 0 }));
      await recorded(1);
      queued[0]?.store();
      await others();
      const status = cut < begins ? 500 : 201;
      assert.deepEqual([result.status, queued.length], [cut < begins ? 500 : 0, 1], `cut at ${cut}`);
      assert.equal(queued[0]?.event.details.status, status, `cut at ${cut}`);
      assert.equal(caller.pendingBytes, 0);
      caller.close();
    }
  });

  it('a forwarded mutation has exactly one record, at whatever byte its caller breaks off', async () => {
    const whole = head('POST /api/identity-admin/x', ['Transfer-Encoding: chunked']).concat('4\r\nbody\r\n0\r\n\r\n');
    handler = async (request, socket) => {
      const arrived = await request.body.catch(() => undefined);
      if (arrived !== undefined) socket.write(rawResponse('200 OK', []));
    };
    // A head is sent with the first byte of its body.
    for (let cut = whole.indexOf('body') + 1; cut <= whole.length; cut += 1) {
      queued.length = 0;
      const before = upstream.requests.length;
      const caller = await send(whole.slice(0, cut));
      await until(() => upstream.requests.length > before);
      caller.close();
      await recorded(1);
      queued[0]?.store();
      await others();
      assert.equal(queued.length, 1, `cut at ${cut}`);
    }
  });
});

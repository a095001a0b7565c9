import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import type { ProxiedWrite } from '../../server/upstream/proxy/record-write.ts';
import { until } from '../support/eventually.ts';
import { proxiesOfTest } from '../support/proxy-app.ts';
import { type RawResponse, requestHead } from '../support/raw-client.ts';
import { type RawHandler, rawResponse } from '../support/raw-upstream.ts';

const WRITE = requestHead('POST /api/identity-admin/admin/identities', ['Content-Length: 0']);

describe('the response to a proxied write', () => {
  /** The records that are not stored yet, in order, each with a function that stores it. */
  let pending: { event: ProxiedWrite; store: () => void }[];

  const proxies = proxiesOfTest({
    recordWrite: (event) => new Promise((store) => void pending.push({ event, store })),
  });
  const { upstream, open } = proxies;
  beforeEach(() => {
    pending = [];
  });

  const untilPending = (count: number): Promise<void> => until(() => pending.length === count);
  /** Reads through the same proxy as another caller. */
  const readElsewhere = async (): Promise<void> => {
    assert.equal((await proxies.send('GET /api/identity-admin/x')).status, 200);
  };
  const respondingWith =
    (bytes: string): RawHandler =>
    (request, socket) =>
      void socket.write(request.method === 'GET' ? rawResponse('200 OK', []) : bytes);

  const body = (bytes: number): string => '0123456789abcdef'.repeat(bytes / 16);
  const chunks = (text: string): string =>
    `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${text.length.toString(16)}\r\n${text}\r\n0\r\n\r\n`;
  /** Sends a write, expects no byte before its record is stored, and stores it. */
  async function sendAndStore(): ReturnType<typeof open> {
    const caller = await open(WRITE);
    await untilPending(1);
    await readElsewhere();
    assert.equal(caller.pendingBytes, 0);
    pending[0]?.store();
    return caller;
  }
  const RESPONSES: [kind: string, bytes: string, status: number, body: string][] = [
    ['with a short body', rawResponse('201 Created', ['Location: /admin/identities/7'], '{"id":7}'), 201, '{"id":7}'],
    ['with a chunked body of a megabyte', chunks(body(1_048_576)), 200, body(1_048_576)],
    [
      'with a redirect, whose body is dropped,',
      rawResponse('302 Found', [`Location: http://other.example/x`], 'moved'),
      302,
      '',
    ],
  ];
  for (const [kind, bytes, status, expected] of RESPONSES)
    it(`${kind} waits for the record and then arrives in full`, async () => {
      proxies.handler = respondingWith(bytes);
      const caller = await sendAndStore();
      const result = await caller.response();
      assert.deepEqual([result.status, result.complete], [status, true]);
      assert.ok(result.body.toString() === expected);
      caller.write(WRITE);
      await untilPending(2);
      pending[1]?.store();
      assert.equal((await caller.response()).status, status);
    });

  it('waits for the record, but its headers do not wait for a late body', async () => {
    let late: Socket | undefined;
    proxies.handler = (request, socket) => {
      if (request.method !== 'GET') late = socket;
      socket.write(
        request.method === 'GET' ? rawResponse('200 OK', []) : 'HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n',
      );
    };
    const caller = await sendAndStore();
    await caller.until(() => caller.pending.endsWith('\r\n\r\n'));
    late?.write('{}');
    assert.equal((await caller.response()).body.toString(), '{}');
  });

  for (const type of ['application/json', 'text/html'])
    it(`waits for the record, also if the upstream refuses the write with ${type}`, async () => {
      proxies.handler = respondingWith(
        rawResponse('409 Conflict', [`Content-Type: ${type}`], '{"error":{"reason":"taken"}}'),
      );
      const caller = await sendAndStore();
      const result = await caller.response();
      assert.deepEqual([result.status, JSON.parse(result.body.toString()).error], [409, 'upstream_error']);
      assert.equal(pending.length, 1);
    });

  it('occupies no connection to the upstream while it is one of 150 that wait for their records', async () => {
    proxies.handler = respondingWith(rawResponse('200 OK', [], body(48_000)));
    const waiting = await Promise.all(Array.from({ length: 150 }, () => open(WRITE)));
    await untilPending(150);
    await readElsewhere();
    for (const { store } of pending) store();
    const responses = await Promise.all(waiting.map((caller) => caller.response()));
    assert.deepEqual(new Set(responses.map(({ body }) => body.length)), new Set([48_000]));
  });

  it('is recorded once and never looks successful, at whichever byte the upstream disconnects', async () => {
    const bytes = rawResponse('201 Created', [], 'created');
    const bodyAt = bytes.indexOf('created');
    for (let cut = 0; cut < bytes.length; cut += 1) {
      pending.length = 0;
      proxies.handler = (request, socket) => {
        if (request.method === 'GET') socket.write(rawResponse('200 OK', []));
        else socket.end(bytes.slice(0, cut));
      };
      const caller = await open(WRITE);
      // Before the body, the caller receives an error without waiting for the record; within it, the connection breaks off.
      const result: Pick<RawResponse, 'status'> = await caller.response().catch(() => ({ status: 0 }));
      await untilPending(1);
      pending[0]?.store();
      await readElsewhere();
      const status = cut < bodyAt ? 500 : 201;
      assert.deepEqual([result.status, pending.length], [cut < bodyAt ? 500 : 0, 1], `cut at ${cut}`);
      assert.equal(pending[0]?.event.details.status, status, `cut at ${cut}`);
      assert.equal(caller.pendingBytes, 0);
      caller.close();
    }
  });

  it('is recorded once, at whichever byte of a forwarded request the caller disconnects', async () => {
    const bytes = requestHead('POST /api/identity-admin/x', ['Transfer-Encoding: chunked']).concat(
      '4\r\nbody\r\n0\r\n\r\n',
    );
    proxies.handler = async (request, socket) => {
      const arrived = await request.body.catch(() => undefined);
      if (arrived !== undefined) socket.write(rawResponse('200 OK', []));
    };
    // The proxy forwards the headers together with the first byte of the body.
    for (let cut = bytes.indexOf('body') + 1; cut <= bytes.length; cut += 1) {
      pending.length = 0;
      const before = upstream.requests.length;
      const caller = await open(bytes.slice(0, cut));
      await until(() => upstream.requests.length > before);
      caller.close();
      await untilPending(1);
      pending[0]?.store();
      await readElsewhere();
      assert.equal(pending.length, 1, `cut at ${cut}`);
    }
  });
});

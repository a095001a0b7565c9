import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { DatabaseUnavailable } from '../../server/db/errors.ts';
import { decodeTraces } from '../../server/events/decode.ts';
import { listenForEvents } from '../../server/events/listener.ts';
import { silentLog } from '../support/context.ts';
import { eventually } from '../support/eventually.ts';
import { ofTest } from '../support/of-suite.ts';
import { EVENTS_KEY, exportRequest, recordedRequests, sendEvents } from '../support/otlp.ts';
import { startServiceProcess } from '../support/processes.ts';
import { RawConnection, requestHead, sendRaw } from '../support/raw-client.ts';

const MIB = 1024 * 1024;
const KEY = `Authorization: Bearer ${EVENTS_KEY}`;
const TYPE = 'Content-Type: application/x-protobuf';
const GZIP = 'Content-Encoding: gzip';
const recorded = recordedRequests.get('login succeeded') as Buffer;
/** 16 MiB, and the field is skipped. */
const large = gzipSync(Buffer.concat([Buffer.from([0x12, 0xf0, 0xff, 0xff, 0x07]), Buffer.alloc(16 * MIB - 16)]));
const groups = Buffer.concat([Buffer.alloc(10_000, 0x1b), Buffer.alloc(10_000, 0x1c)]);

const request = (body: Buffer, headers = [KEY, TYPE], line = 'POST /v1/traces'): Buffer =>
  Buffer.concat([Buffer.from(requestHead(line, [...headers, `Content-Length: ${body.length}`])), body]);
const headOnly = (length: number, ...headers: string[]): Buffer =>
  Buffer.from(requestHead('POST /v1/traces', [...headers, TYPE, `Content-Length: ${length}`]));
const chunked = `${requestHead('POST /v1/traces', [KEY, TYPE, 'Transfer-Encoding: chunked'])}400001\r\n${'x'.repeat(4 * MIB + 1)}`;

const NOTHING = () => undefined;

describe('the listener for events', () => {
  /** What `receive` does beside decoding. */
  let act: () => Promise<unknown>;
  let refused: string[];
  const listener = ofTest(async () => {
    act = async () => {};
    refused = [];
    return await listenForEvents({
      ...{ host: '127.0.0.1', port: 0, key: EVENTS_KEY, log: silentLog },
      receive: async (body) => {
        await decodeTraces(body, NOTHING, NOTHING);
        await act();
      },
      isUnavailable: (error) => error instanceof DatabaseUnavailable,
      refused: (reason) => void refused.push(reason),
    });
  });
  const send = () => sendEvents(listener.port, recorded);

  const CASES: [name: string, request: Buffer, status: number, reason?: string][] = [
    ['what Kratos sends', request(recorded), 200],
    ['what a Collector sends', request(gzipSync(recorded), [KEY, TYPE, GZIP]), 200],
    ['a scheme in lower case', request(recorded, [KEY.replace('B', 'b'), `${TYPE}; x=y`]), 200],
    ['no key, before a body that never arrives', headOnly(100), 401, 'key'],
    ['a wrong key before a body that never arrives', headOnly(100, KEY.replace(/.$/, 'x')), 401, 'key'],
    ['a shorter key', request(recorded, [KEY.slice(0, -1), TYPE]), 401, 'key'],
    ['an origin', headOnly(100, KEY, 'Origin: null'), 403, 'browser'],
    ['metadata of a browser', headOnly(100, KEY, 'Sec-Fetch-Site: same-origin'), 403, 'browser'],
    ['another path', request(recorded, [KEY, TYPE], 'POST /v1/traces/'), 404],
    ['another method', request(recorded, [KEY, TYPE], 'PUT /v1/traces'), 405],
    ['another type', request(recorded, [KEY, 'Content-Type: application/json']), 415, 'type'],
    ['another coding', request(recorded, [KEY, TYPE, 'Content-Encoding: deflate']), 415, 'type'],
    ['a length of more than 4 MiB', headOnly(4 * MIB + 1, KEY), 413, 'size'],
    ['a chunk of more than 4 MiB', Buffer.from(chunked), 413, 'size'],
    ['more than 16 MiB in gzip', request(gzipSync(Buffer.alloc(16 * MIB + 1)), [KEY, TYPE, GZIP]), 413, 'size'],
    ['random bytes', request(Buffer.from([7, ...randomBytes(100)])), 400, 'malformed'],
    ['truncated gzip', request(gzipSync(recorded).subarray(0, -9), [KEY, TYPE, GZIP]), 400, 'malformed'],
    ['a truncated body', request(recorded.subarray(0, -1)), 400, 'malformed'],
    ['nested groups', request(groups), 400, 'malformed'],
  ];
  for (const [name, bytes, status, reason] of CASES)
    it(`responds with ${status} and no body to ${name}`, async () => {
      const response = await sendRaw(listener.port, bytes);
      assert.deepEqual([response.status, response.body.length], [status, 0]);
      assert.deepEqual(refused, reason === undefined ? [] : [reason]);
      assert.equal(await send(), 200);
    });

  it('responds with 429 to a ninth request at the same time, and to more than 32 MiB of all bodies', async () => {
    for (const [number, body, coding] of [
      [8, recorded, 'identity'],
      [2, large, 'gzip'],
    ] as const) {
      const { promise, resolve } = Promise.withResolvers<void>();
      let receiving = 0;
      act = () => {
        receiving += 1;
        return promise;
      };
      const sendOne = () => sendEvents(listener.port, body, { 'content-encoding': coding });
      const sent = Array.from({ length: number }, sendOne);
      await eventually(() => receiving, number);
      assert.equal(await sendOne(), 429);
      resolve();
      assert.deepEqual(new Set(await Promise.all(sent)), new Set([200]));
      assert.equal(await sendOne(), 200);
    }
    assert.deepEqual(refused, ['busy', 'busy']);
  });

  it('responds with 503 while the database is unavailable, and with 500 to a fault', async () => {
    for (const [error, status] of [
      [new DatabaseUnavailable(), 503],
      [new Error('x'), 500],
    ] as const) {
      act = () => Promise.reject(error);
      assert.equal(await send(), status);
    }
  });

  it('survives resets, pipelining and more connections than it serves', async () => {
    const connections = await Promise.all(Array.from({ length: 200 }, () => RawConnection.open(listener.port)));
    for (const { socket } of connections)
      socket.write(request(recorded).subarray(0, -10), () => socket.resetAndDestroy());
    await Promise.all(connections.map((connection) => connection.untilClosed()));
    const connection = await RawConnection.open(listener.port);
    connection.write(Buffer.concat([request(recorded), request(recorded, [TYPE])]));
    assert.deepEqual([(await connection.response()).status, (await connection.response()).status], [200, 401]);
    assert.equal(await send(), 200);
    assert.deepEqual(refused, ['key'], 'a sender that disconnects is not refused');
  });

  it('is neither loaded nor reachable without its port, and has nothing of the API with it, nor the API of it', async () => {
    const hook = `import { registerHooks } from 'node:module';
      registerHooks({ load(url, context, next) { if (/sign-in-log/.test(url)) console.log(url); return next(url, context); } });`;
    const nodeArguments = ['--import', `data:text/javascript,${encodeURIComponent(hook)}`];
    for (const isOn of [false, true]) {
      const env: Record<string, string> = isOn ? { EVENTS_PORT: '0', EVENTS_KEY } : {};
      const service = await startServiceProcess(env, { nodeArguments });
      for (const path of ['POST /v1/traces', 'GET /api/settings', 'GET /api/security/sign-ins'])
        assert.equal(
          (await sendRaw(service.port, requestHead(path, [KEY, TYPE, 'Content-Length: 0']))).status,
          401,
          path,
        );
      await eventually(async () => /server\/(?:events\/)?sign-in-log\.[jt]s/.test(service.running.output()), isOn);
      const port = Number(/"eventsPort":(\d+)/.exec(service.running.output())?.[1]);
      if (isOn) assert.equal(await sendEvents(port, exportRequest()), 200);
      await service.close();
    }
  });
});

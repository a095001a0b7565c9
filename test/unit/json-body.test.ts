import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { jsonBody } from '../../server/http/bodies.ts';
import { errorHandler } from '../../server/http/errors.ts';
import { createLog } from '../../server/log.ts';

describe('a JSON body', () => {
  let server: Server;
  /** How often a handler saw a request. */
  let handled: number;

  before(async () => {
    const app = express();
    const log = createLog({ level: 'error', production: false }, { write: () => {} });
    app.put('/', jsonBody({ maxKib: 1 }));
    app.use(jsonBody());
    app.use((req, res) => {
      handled += 1;
      res.json({ body: req.body === undefined ? 'none' : req.body });
    });
    app.use(errorHandler(log, () => false));
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    handled = 0;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  interface Result {
    status: number;
    body: { body?: unknown; error?: string; message?: string };
  }
  const JSON_TYPE = { 'content-type': 'application/json' };

  function send(method: string, headers: Record<string, string>, body: Buffer = Buffer.alloc(0)): Promise<Result> {
    return new Promise((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      request({ port, host: '127.0.0.1', method, headers }, async (res) => {
        const text = Buffer.concat(await res.toArray()).toString();
        resolve({ status: res.statusCode ?? 0, body: JSON.parse(text) });
      })
        .on('error', reject)
        .end(body);
    });
  }
  const text = (body: string): Buffer => Buffer.from(body);

  it('of a GET or DELETE is not looked at; it may be absent, and then needs no type', async () => {
    for (const method of ['GET', 'DELETE']) {
      const headers = { 'content-type': 'text/plain', 'content-length': '5' };
      assert.deepEqual((await send(method, headers, text('plain'))).body, { body: 'none' });
    }
    assert.deepEqual((await send('POST', { 'content-length': '0' })).body, { body: 'none' });
  });

  it('of another type, without one, or coded is a 415', async () => {
    for (const headers of [
      { 'content-type': 'text/plain' },
      {},
      { ...JSON_TYPE, 'content-encoding': 'gzip' },
      ...['latin1', 'utf-7', 'utf-16le', 'utf-32'].map((charset) => ({
        'content-type': `application/json; charset=${charset}`,
      })),
    ]) {
      const result = await send('POST', { ...headers, 'content-length': '2' } as Record<string, string>, text('{}'));
      assert.equal(result.status, 415);
      assert.equal(result.body.error, 'unsupported_media_type');
    }
    assert.equal(handled, 0);
  });

  it('that is no JSON, or no UTF-8 inside of JSON, is a 400 that says so', async () => {
    const refused = async (body: Buffer): Promise<unknown> => {
      const result = await send('POST', { ...JSON_TYPE, 'content-length': String(body.length) }, body);
      assert.equal(result.status, 400);
      return result.body.message;
    };
    assert.equal(await refused(text('{"key":')), 'The request body is not valid JSON.');
    const latin1 = Buffer.from('{"value":"caf\xe9"}', 'latin1');
    assert.equal(await refused(latin1), 'The request body is not valid UTF-8.');
    assert.equal(handled, 0);
  });

  it('may have 512 KiB, or what its route takes, and not a byte more', async () => {
    const filling = (bytes: number): Buffer => text(JSON.stringify('x'.repeat(bytes - 2)));
    for (const [method, max] of [
      ['POST', 512 * 1024],
      ['PUT', 1024],
    ] as const) {
      const sent = async (bytes: number): Promise<number> =>
        (await send(method, { ...JSON_TYPE, 'content-length': String(bytes) }, filling(bytes))).status;
      assert.equal(await sent(max), 200);
      assert.equal(await sent(max + 1), 413);
    }
  });

  it('may have 32 brackets in each other, and any number in a text or beside each other', async () => {
    const nested = (depth: number): string => `${'[{"a":'.repeat(depth / 2)}0${'}]'.repeat(depth / 2)}`;
    const sent = (body: string) => send('POST', { ...JSON_TYPE, 'content-length': `${body.length}` }, text(body));
    for (const body of [nested(32), JSON.stringify(`\\"${'[{'.repeat(99)}`), `[${Array(99).fill('[]').join()}]`])
      assert.deepEqual((await sent(body)).body, { body: JSON.parse(body) });
    for (const body of [nested(34), '['.repeat(250_000)]) {
      const { status, body: refusal } = await sent(body);
      assert.deepEqual([status, refusal.message], [400, 'The request body is nested too deeply.']);
    }
  });
});

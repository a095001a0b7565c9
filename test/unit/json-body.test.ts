import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import express, { type Request, type Response } from 'express';
import type { ApiError } from '../../server/http/api-error.ts';
import { errorHandler } from '../../server/http/error-handler.ts';
import { jsonBody } from '../../server/http/json-body.ts';
import { createLog } from '../../server/log/log.ts';

describe('a JSON body', () => {
  let server: Server;
  /** How often a handler saw a request. */
  let handled: number;

  before(async () => {
    const app = express();
    const log = createLog({ level: 'error', production: false }, { write: () => {} });
    app.use(jsonBody({ timeoutMs: 100 }));
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
    connection: string | undefined;
    body: { body?: unknown; error?: string; message?: string };
  }
  const JSON_TYPE = { 'content-type': 'application/json' };

  /** `rest` is sent once the answer has come. */
  function send(
    method: string,
    headers: Record<string, string>,
    body: Buffer = Buffer.alloc(0),
    rest?: string,
  ): Promise<Result> {
    return new Promise((resolve, reject) => {
      const { port } = server.address() as AddressInfo;
      const req = request({ port, host: '127.0.0.1', method, headers }, async (res) => {
        if (rest !== undefined) req.end(rest);
        const text = Buffer.concat(await res.toArray()).toString();
        resolve({ status: res.statusCode ?? 0, connection: res.headers.connection, body: JSON.parse(text) });
      }).on('error', reject);
      if (rest === undefined) req.end(body);
      else req.write(body);
    });
  }
  const text = (body: string): Buffer => Buffer.from(body);

  for (const method of ['POST', 'PUT', 'PATCH'])
    it(`of a ${method} is parsed, sized or chunked`, async () => {
      const sized = { ...JSON_TYPE, 'content-length': '7' };
      assert.deepEqual((await send(method, sized, text('{"a":1}'))).body, { body: { a: 1 } });
      const chunked = { ...JSON_TYPE, 'transfer-encoding': 'chunked' };
      assert.deepEqual((await send(method, chunked, text('{"a":1}'))).body, { body: { a: 1 } });
    });

  for (const method of ['GET', 'DELETE', 'OPTIONS'])
    it(`of a ${method} is not looked at, whatever it is`, async () => {
      const headers = { 'content-type': 'text/plain', 'content-length': '5' };
      assert.deepEqual((await send(method, headers, text('plain'))).body, { body: 'none' });
    });

  it('may be absent, and then needs no type', async () => {
    assert.deepEqual((await send('POST', { 'content-length': '0' })).body, { body: 'none' });
  });

  it('of another type, without one, or coded is a 415', async () => {
    for (const headers of [
      { 'content-type': 'text/plain' },
      {},
      { ...JSON_TYPE, 'content-encoding': 'gzip' },
      { 'content-type': 'application/json; charset=latin1' },
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

  it('may have 512 KiB, and not a byte more', async () => {
    const filling = (bytes: number): Buffer => text(JSON.stringify('x'.repeat(bytes - 2)));
    const max = 512 * 1024;
    const sent = async (bytes: number): Promise<number> =>
      (await send('POST', { ...JSON_TYPE, 'content-length': String(bytes) }, filling(bytes))).status;
    assert.equal(await sent(max), 200);
    assert.equal(await sent(max + 1), 413);
  });

  it('that is complete only after its 408 is not passed on', async () => {
    const body = new PassThrough();
    const headers = { ...JSON_TYPE, 'content-length': '7' };
    const req = Object.assign(body, { method: 'POST', headers, is: () => 'application/json' });
    const outcomes: unknown[] = [];
    jsonBody({ timeoutMs: 5 })(req as unknown as Request, {} as Response, (error?: unknown) => outcomes.push(error));
    body.write('{"a"');
    while (outcomes.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    body.end(':1}');
    await once(body, 'end');
    await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal(outcomes.length, 1);
    assert.equal((outcomes[0] as ApiError).code, 'request_timeout');
  });

  it('that does not arrive in time is a 408, which closes; what comes later reaches nobody', async () => {
    const headers = { ...JSON_TYPE, 'content-length': '7' };
    const result = await send('POST', headers, text('{"a"'), ':1}');
    assert.equal(result.status, 408);
    assert.equal(result.connection, 'close');
    await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(handled, 0);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { createHttpServer } from '../../server/http/create-server.ts';
import { errorHandler } from '../../server/http/error-handler.ts';
import { jsonBody } from '../../server/http/json-body.ts';
import { parseAnswers, rawBytes } from '../support/raw-exchange.ts';
import { silentLog } from '../support/silent-log.ts';

describe('slow request', () => {
  let server: Server;
  let port: number;

  before(async () => {
    const app = express();
    app.use(jsonBody({ timeoutMs: 200 }));
    app.post('/', (_req, res) => void res.end('done'));
    app.use(errorHandler(silentLog, () => false));
    const options = { isServed: () => true, allowedNetworks: undefined, isDraining: () => false, log: silentLog };
    server = createHttpServer(app, { ...options, headersTimeoutMs: 200 }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('whose headers do not arrive in time is answered 408 in the error shape and closed', async () => {
    const [answer] = parseAnswers(
      await rawBytes(port, 'POST / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ', 10_000),
      false,
    );
    assert.equal(answer?.status, 408);
    assert.equal(answer.headers.connection, 'close');
    assert.equal((JSON.parse(answer.body) as { error: string }).error, 'request_timeout');
  });

  it('whose JSON body does not arrive in time is answered 408 and closed', async () => {
    const head = 'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{';
    const [answer] = parseAnswers(await rawBytes(port, head, 10_000), false);
    assert.equal(answer?.status, 408);
    assert.equal((JSON.parse(answer.body) as { error: string }).error, 'request_timeout');
  });

  it('whose chunked JSON body does not arrive in time is answered 408 and closed', async () => {
    const head =
      'POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n';
    const [answer] = parseAnswers(await rawBytes(port, head, 10_000), false);
    assert.equal(answer?.status, 408);
  });
});

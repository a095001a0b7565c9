import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Response as Answer } from 'express';
import { ApiError, errorHandler } from '../../server/http/errors.ts';
import { createLog } from '../../server/log.ts';

describe('what a handler throws', () => {
  const AWAY = new Error('the database is away');
  let server: Server;
  let lines: string[];
  let thrown: unknown;
  /** Before it throws. */
  let begin: (res: Answer) => void;

  before(async () => {
    const log = createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) });
    const app = express();
    app.use((_req, res) => {
      res.locals.requestId = 'the-id';
      begin(res);
      throw thrown;
    });
    app.use(errorHandler(log, (error) => error === AWAY));
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  beforeEach(() => {
    lines = [];
    begin = () => {};
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  const ask = (error: unknown, method = 'GET'): Promise<Response> => {
    thrown = error;
    return fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`, { method });
  };
  const codeOf = async (response: Response): Promise<string> => ((await response.json()) as { error: string }).error;

  it('is logged in one line with the request’s id, and none of it is sent', async () => {
    const failed = await ask(new Error('a secret'));
    assert.equal(failed.status, 500);
    assert.doesNotMatch(await failed.text(), /secret/);
    assert.equal(lines.length, 1);
    assert.equal(JSON.parse(lines[0] ?? '').id, 'the-id');
    assert.equal((await ask(new ApiError('bad_gateway'))).status, 502);
    assert.equal(lines.length, 2);
  });

  it('is a 503 with a time to come back while the database is away', async () => {
    const away = await ask(AWAY);
    assert.equal(away.status, 503);
    assert.equal(away.headers.get('retry-after'), '5');
    assert.equal(await codeOf(away), 'service_unavailable');
  });

  it('has no body in the answer to a HEAD', async () => {
    const head = await ask(new ApiError('not_found'), 'HEAD');
    assert.equal(head.status, 404);
    assert.equal(await head.text(), '');
  });

  it('cuts an answer off that had begun: nothing looks complete', async () => {
    begin = (res) => void res.status(200).write('half');
    await assert.rejects(ask(new Error('later')).then((response) => response.text()));
  });
});

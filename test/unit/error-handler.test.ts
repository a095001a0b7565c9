import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Response as Answer } from 'express';
import { ApiError } from '../../server/http/api-error.ts';
import { errorHandler } from '../../server/http/error-handler.ts';
import { createLog } from '../../server/log/log.ts';

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

  it('is passed on as it is, and a refusal is not logged', async () => {
    const refused = await ask(new ApiError('method_not_allowed', { headers: { Allow: 'GET' } }));
    assert.equal(refused.status, 405);
    assert.equal(refused.headers.get('allow'), 'GET');
    assert.equal(refused.headers.get('cache-control'), 'no-store');
    assert.equal(await codeOf(refused), 'method_not_allowed');
    assert.deepEqual(lines, []);
  });

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

  it('with a status that a library gave it is a refusal below 500 only', async () => {
    for (const [status, expected] of [
      [399, 'internal_error'],
      [400, 'bad_request'],
      [499, 'bad_request'],
      [500, 'internal_error'],
      ['404', 'internal_error'],
    ] as const)
      assert.equal(await codeOf(await ask(Object.assign(new Error(), { status }))), expected, String(status));
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

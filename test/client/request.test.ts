import assert from 'node:assert/strict';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ConnectionError, isTransient, RequestError, request, send } from '../../client/api/request.ts';
import { hasSessionEnded, sessionContinues } from '../../client/lib/sign-in.ts';

describe("the app's requests", () => {
  let server: Server;
  let url: string;
  let response: RequestListener;
  let received: { method?: string; type?: string; body: string };

  before((done) => {
    server = createServer((req, res) => {
      let body = '';
      req.setEncoding('utf8');
      req.on('data', (chunk) => {
        body += chunk;
      });
      req.on('end', () => {
        received = { method: req.method, type: req.headers['content-type'], body };
        response(req, res);
      });
    });
    server.listen(0, '127.0.0.1', () => {
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      done();
    });
  });
  after((done) => {
    server.close(done);
    server.closeAllConnections();
  });
  beforeEach(sessionContinues);

  const answering = (status: number, body: string, type = 'application/json'): void => {
    response = (_, res) => res.writeHead(status, { 'content-type': type, 'x-request-id': 'r-1' }).end(body);
  };
  const failure = async (work: Promise<unknown>): Promise<RequestError> => {
    const error = await work.then(
      () => undefined,
      (caught: unknown) => caught,
    );
    assert.ok(error instanceof RequestError, String(error));
    return error;
  };

  it('send a body as JSON and resolve with the response', async () => {
    answering(200, '{"a":1}');
    assert.deepEqual(await request(`${url}/x`, { method: 'POST', body: { b: 2 } }), { a: 1 });
    assert.deepEqual(received, { method: 'POST', type: 'application/json', body: '{"b":2}' });
  });

  it('reject with the code, message, hint and request id of an error response', async () => {
    answering(403, '{"error":"forbidden","message":"Admin access required.","hint":"Ask."}');
    const { status, code, message, hint, requestId } = await failure(request(`${url}/x`));
    assert.deepEqual(
      { status, code, message, hint, requestId },
      { status: 403, code: 'forbidden', message: 'Admin access required.', hint: 'Ask.', requestId: 'r-1' },
    );
    assert.equal(hasSessionEnded(), false);
  });

  it('report the end of the session on not_authenticated, but not on other responses with status 401', async () => {
    answering(401, '{"error":"upstream_error","message":"No."}');
    await failure(send(`${url}/x`));
    assert.equal(hasSessionEnded(), false);
    answering(401, '{"error":"Not authenticated"}');
    assert.equal((await failure(send(`${url}/x`))).message, 'Not authenticated');
    assert.equal(hasSessionEnded(), false);
    answering(401, '{"error":"not_authenticated","message":"Authentication required."}');
    await failure(send(`${url}/x`));
    assert.equal(hasSessionEnded(), true);
  });

  it('distinguish an unreachable service from a refusal', async () => {
    response = (_, res) => res.destroy();
    const error = await send(`${url}/x`).catch((caught: unknown) => caught);
    assert.ok(error instanceof ConnectionError);
    assert.equal(isTransient(error), true);
  });
});

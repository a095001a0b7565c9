import assert from 'node:assert/strict';
import { until } from '../support/becomes.ts';
import { type ProxyApp, startProxyApp } from '../support/proxy-app.ts';
import { head, RawConnection } from '../support/raw-client.ts';
import { answer, type RawHandler, type RawUpstream, startRawUpstream } from '../support/raw-upstream.ts';

const MEBIBYTE = 1024 * 1024;

describe('requests sent ahead of their answers on one connection', () => {
  let upstream: RawUpstream;
  let handler: RawHandler;
  let app: ProxyApp;

  beforeEach(async () => {
    handler = (request, socket) => socket.write(answer('200 OK', [], request.target));
    upstream = await startRawUpstream((request, socket) => handler(request, socket));
    app = await startProxyApp({ identity: upstream.url });
  });
  afterEach(async () => {
    await app.close();
    await upstream.close();
  });

  it('300 are all answered, in order', async () => {
    const connection = await RawConnection.open(app.port);
    connection.write(Array.from({ length: 300 }, (_, index) => head(`GET /api/identity/${index}`)).join(''));
    for (let index = 0; index < 300; index += 1) assert.equal((await connection.answer()).body.toString(), `/${index}`);
    connection.close();
  });

  it('bodies among them arrive where they belong', async () => {
    handler = async (request, socket) => void socket.write(answer('200 OK', [], (await request.body).toString()));
    const connection = await RawConnection.open(app.port);
    const bodies = Array.from({ length: 200 }, (_, index) => String(index).repeat(1 + (index % 50)));
    for (const body of bodies)
      connection.write(head('POST /api/identity/x', [`Content-Length: ${body.length}`]) + body);
    for (const body of bodies) assert.equal((await connection.answer()).body.toString(), body);
    connection.close();
  });

  it('those that wait are not passed on once the caller has gone', async () => {
    handler = () => {};
    const connection = await RawConnection.open(app.port);
    connection.write(Array.from({ length: 50 }, (_, index) => head(`GET /api/identity/${index}`)).join(''));
    await until(() => upstream.requests.length === 1);
    connection.close();
    await upstream.idle();
    assert.equal(upstream.requests.length, 1);
  });
});

import assert from 'node:assert/strict';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { memoryBudgets } from '../../server/memory.ts';
import { ofTest } from '../support/of-suite.ts';
import { issueSession, memoryMib, startServiceProcess } from '../support/processes.ts';
import { RawConnection, type RawResponse, requestHead } from '../support/raw-client.ts';
import { type RecordedRequest, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

const MIB = 1024 * 1024;
const LIMIT_MIB = 256;
/**
 * What Node chooses with so little memory: a small young generation, and half of the memory for the heap, from which the
 * service computes its budgets.
 */
const SMALL = ['--max-old-space-size=120', '--max-semi-space-size=1'];
const BUDGETS = memoryBudgets(LIMIT_MIB * MIB);
const BODY = 20 * MIB;
const AT_ONCE = 16;
/** So long that no request is refused because of it. */
const LONG_MS = '600000';
const WRITE = JSON.stringify({ traits: { text: 'x'.repeat(60_000) } });

describe('the service with 256 MiB of memory', () => {
  /** Whether the upstream leaves lists and `/waiting` without a response. */
  let silent = false;
  const { identityId, cookie } = issueSession();
  const block = Buffer.alloc(65_536, 'streaming ');

  const operator = { id: identityId, schema_id: 'operator', state: 'active', traits: { role: 'admin' } };

  async function respond(request: RecordedRequest, socket: Socket): Promise<void> {
    const { method, target } = request;
    const json = (body: string): void =>
      void socket.write(rawResponse('200 OK', ['Content-Type: application/json'], body));
    if (method !== 'GET') {
      await request.body;
      json(String(request.received));
    } else if (target === '/blob') {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${BODY}\r\n\r\n`);
      for (let sent = 0; sent < BODY; sent += block.length) if (!socket.write(block)) await once(socket, 'drain');
    } else if (target.includes(identityId)) json(JSON.stringify(operator));
    else if (silent) return;
    else json('[]');
  }

  const upstream = ofTest(() =>
    startRawUpstream((request, socket) => respond(request, socket).catch(() => {}), { keepBodies: false }),
  );
  const service = ofTest(() =>
    startServiceProcess(
      { IDENTITY_URL: upstream.url, IDENTITY_ADMIN_URL: upstream.url, PROXY_TIMEOUT_MS: LONG_MS },
      { nodeArguments: SMALL },
    ),
  );
  beforeEach(() => {
    silent = false;
  });

  async function send(line: string, headers: readonly string[] = [], body = ''): Promise<RawConnection> {
    const connection = await RawConnection.open(service.port);
    connection.write(requestHead(line, [cookie, ...headers]) + body);
    return connection;
  }
  /** The number of requests that the upstream has received and does not respond to. */
  const withoutResponse = (): number =>
    upstream.requests.filter(({ target }) => /credentials_identifier|waiting/.test(target)).length;

  function assertRefused({ status, header, body }: RawResponse): void {
    assert.deepEqual([status, header('Retry-After')], [503, ['1']]);
    assert.equal(JSON.parse(body.toString()).error, 'service_unavailable');
  }

  async function download(): Promise<void> {
    const connection = await send('GET /api/identity/blob');
    await connection.readHead();
    let bytes = 0;
    await new Promise<void>((resolve) => {
      connection.passBytesTo((chunk) => {
        bytes += chunk.length;
        if (bytes === BODY) resolve();
      });
    });
    connection.close();
  }

  async function upload(): Promise<void> {
    const connection = await send('PUT /api/identity/blob', [`Content-Length: ${BODY}`]);
    for (let sent = 0; sent < BODY; sent += block.length)
      if (!connection.socket.write(block)) await once(connection.socket, 'drain');
    assert.equal((await connection.response()).body.toString(), String(BODY));
    connection.close();
  }

  async function write(): Promise<void> {
    const headers = ['Content-Type: application/json', `Content-Length: ${WRITE.length}`];
    const connection = await send('PUT /api/identity-admin/admin/identities/x', headers, WRITE);
    assert.equal((await connection.response()).status, 200);
    connection.close();
  }

  const times = (count: number, act: () => Promise<void>): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, act));

  for (const [what, transfer] of [
    ['downloaded', download],
    ['uploaded', upload],
  ] as const)
    it(`uses no more than that while large bodies are ${what} between writes`, async () => {
      await service.running.untilPrinted(/may not fit into so little memory/);
      await Promise.all([times(AT_ONCE, transfer), times(AT_ONCE, write)]);
      await times(AT_ONCE, transfer);
      const peak = memoryMib(service.running.pid, 'VmHWM');
      assert.ok(peak < LIMIT_MIB, `took ${peak} MiB`);
      assert.ok(await service.isHealthy());
    });

  it('refuses more requests to its own routes than fit into memory, without reading their bodies, and stays healthy', async () => {
    silent = true;
    const { places, waiting } = BUDGETS.ownRequests ?? { places: 0, waiting: 0 };
    const connections = await Promise.all(
      Array.from({ length: places + waiting + 1 }, (_, number) =>
        send(`GET /api/identities?credentials_identifier=${number}`),
      ),
    );
    assertRefused(await Promise.race(connections.map((connection) => connection.response())));
    const late = await send('POST /api/settings', ['Content-Type: application/json', 'Content-Length: 400000']);
    assertRefused(await late.response());
    assert.ok(await service.isHealthy());
    assert.ok(withoutResponse() <= places);
    for (const connection of [...connections, late]) connection.close();
  });

  it('refuses more proxied requests than fit into memory', async () => {
    silent = true;
    const { connections: places, waiting } = BUDGETS.proxy;
    const connections = await Promise.all(
      Array.from({ length: places + waiting + 1 }, () => send('GET /api/identity/waiting')),
    );
    assertRefused(await Promise.race(connections.map((connection) => connection.response())));
    assert.ok(withoutResponse() <= places);
    for (const connection of connections) connection.close();
  });
});

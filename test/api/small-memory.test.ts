import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { memoryBudgets } from '../../server/memory.ts';
import { head, RawConnection, type RawResponse } from '../support/raw-client.ts';
import { type RawUpstream, type RecordedRequest, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';
import { issuedSession, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

const MB = 1024 * 1024;
const LIMIT = 256 * MB;
/** Node gives the young generation this little within such a limit; the budgets follow from twice the heap. */
const SMALL = ['--max-old-space-size=120', '--max-semi-space-size=1'];
const BUDGETS = memoryBudgets(LIMIT);
const BODY = 20 * MB;
const AT_ONCE = 16;
/** Who is refused is refused at once. */
const NOBODY_WAITS_MS = '600000';
const WRITE = JSON.stringify({ traits: { text: 'x'.repeat(60_000) } });

describe('a service with 256 MiB', () => {
  let upstream: RawUpstream;
  let service: ServiceProcess;
  /** Whether the upstream answers lists and `/held`. */
  let silent = false;
  const { identityId, cookie } = issuedSession();
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

  beforeEach(async () => {
    silent = false;
    upstream = await startRawUpstream((request, socket) => respond(request, socket).catch(() => {}), {
      keepBodies: false,
    });
    service = await startServiceProcess(
      { IDENTITY_URL: upstream.url, IDENTITY_ADMIN_URL: upstream.url, PROXY_TIMEOUT_MS: NOBODY_WAITS_MS },
      { nodeArguments: SMALL },
    );
  });
  afterEach(async () => {
    await service.close();
    await upstream.close();
  });

  const mostMemory = (): number =>
    Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${service.running.pid}/status`, 'latin1'))?.[1]) * 1024;
  const open = (): Promise<RawConnection> => RawConnection.open(service.port);
  const request = (line: string, headers: readonly string[] = []): string => head(line, [cookie, ...headers]);
  const asked = (): number =>
    upstream.requests.filter(({ target }) => /credentials_identifier|held/.test(target)).length;
  const list = (number: number): Promise<RawConnection> =>
    open().then((connection) => {
      connection.write(request(`GET /api/identities?credentials_identifier=${number}`));
      return connection;
    });

  function assertRefused({ status, header, body }: RawResponse): void {
    assert.deepEqual([status, header('Retry-After')], [503, ['1']]);
    assert.equal(JSON.parse(body.toString()).error, 'service_unavailable');
  }

  async function download(): Promise<void> {
    const connection = await open();
    connection.write(request('GET /api/identity/blob'));
    await connection.headOnly();
    let bytes = 0;
    await new Promise<void>((resolve) => {
      connection.redirect((chunk) => {
        bytes += chunk.length;
        if (bytes === BODY) resolve();
      });
    });
    connection.close();
  }

  async function upload(): Promise<void> {
    const connection = await open();
    connection.write(request('PUT /api/identity/blob', [`Content-Length: ${BODY}`]));
    for (let sent = 0; sent < BODY; sent += block.length)
      if (!connection.socket.write(block)) await once(connection.socket, 'drain');
    assert.equal((await connection.response()).body.toString(), String(BODY));
    connection.close();
  }

  async function write(): Promise<void> {
    const connection = await open();
    const type = ['Content-Type: application/json', `Content-Length: ${WRITE.length}`];
    connection.write(request('PUT /api/identity-admin/admin/identities/x', type) + WRITE);
    assert.equal((await connection.response()).status, 200);
    connection.close();
  }

  const times = (count: number, act: () => Promise<void>): Promise<unknown> =>
    Promise.all(Array.from({ length: count }, act));

  for (const [what, transfer] of [
    ['down', download],
    ['up', upload],
  ] as const)
    it(`takes no more while large bodies stream ${what} between writes`, async () => {
      await service.running.printed(/may not fit into so little memory/);
      await Promise.all([times(AT_ONCE, transfer), times(AT_ONCE, write)]);
      await times(AT_ONCE, transfer);
      const most = mostMemory();
      assert.ok(most < LIMIT, `took ${Math.round(most / MB)} MiB`);
      assert.ok(await service.isHealthy());
    });

  it('refuses its own requests beyond those that fit, with their bodies unread, and stays healthy', async () => {
    silent = true;
    const { places, waiting } = BUDGETS.ownRequests ?? { places: 0, waiting: 0 };
    const held = await Promise.all(Array.from({ length: places + waiting + 1 }, (_, number) => list(number)));
    assertRefused(await Promise.race(held.map((connection) => connection.response())));
    const late = await open();
    late.write(request('POST /api/settings', ['Content-Type: application/json', 'Content-Length: 400000']));
    assertRefused(await late.response());
    assert.ok(await service.isHealthy());
    assert.ok(asked() <= places);
    for (const connection of [...held, late]) connection.close();
  });

  it('refuses proxied requests beyond those that fit', async () => {
    silent = true;
    const { connections, waiting } = BUDGETS.proxy;
    const held = await Promise.all(
      Array.from({ length: connections + waiting + 1 }, async () => {
        const connection = await open();
        connection.write(request('GET /api/identity/held'));
        return connection;
      }),
    );
    assertRefused(await Promise.race(held.map((connection) => connection.response())));
    assert.ok(asked() <= connections);
    for (const connection of held) connection.close();
  });
});

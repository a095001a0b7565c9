import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { SHUTDOWN_TIMES } from '../../server/process/shutdown.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { head, RawConnection, sendRaw } from '../support/raw-client.ts';
import { type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';
import { issuedSession, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';

describeOnDatabases('SIGTERM under load', (databases) => {
  let service: ServiceProcess | undefined;
  let upstream: RawUpstream;
  before(async () => {
    upstream = await startRawUpstream(async (_request, socket) => {
      // Longer than the listener stays open.
      await sleep(2_500);
      socket.write(rawResponse('200 OK', [], 'late'));
    });
  });
  after(() => upstream.close());
  afterEach(() => service?.close());

  it('answers every request that reached it, keeps what it acknowledged, and ends with 0', async () => {
    const { url, database } = await databases.migrated();
    service = await startServiceProcess({ DATABASE_URL: url, IDENTITY_URL: upstream.url });
    const { port, running } = service;
    const { cookie } = issuedSession();
    const acknowledged: string[] = [];
    let announced = 0;

    let toldAt = Number.POSITIVE_INFINITY;

    /** Behaves like a balancer's client: when told to, it reconnects, twice; by then health has told it to leave. */
    async function client(lane: number): Promise<void> {
      for (let connections = 0; connections < 3; connections += 1) {
        const connection = await RawConnection.open(port);
        for (let index = 0; ; index += 1) {
          const key = `${lane}.${connections}.${index}`;
          const body = JSON.stringify({ key, value: key, encrypted: true });
          const headers = [cookie, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
          connection.write(head('POST /api/settings', headers) + body);
          const { status, complete, header } = await connection.response();
          assert.deepEqual({ status, complete }, { status: 201, complete: true });
          acknowledged.push(key);
          if (header('connection')[0] === 'close') break;
        }
        announced += 1;
        connection.close();
      }
    }
    /** A client that is too slow to have left by the end of the notice is refused, or its idle connection closed. */
    const late = (error: Error): void => {
      if (performance.now() - toldAt < SHUTDOWN_TIMES.noticeMs) throw error;
      assert.match(error.message, /ECONNREFUSED|ECONNRESET|^connection ended, pending: $/);
    };

    const clients = Promise.all(Array.from({ length: 8 }, (_, lane) => client(lane).catch(late)));
    while (acknowledged.length < 50) await sleep(5);
    const slow = sendRaw(port, head('GET /api/identity/slow'));
    while (upstream.requests.length === 0) await sleep(5);
    toldAt = performance.now();
    const code = running.stop('SIGTERM');
    await clients;
    assert.ok(announced > 0, 'nobody was told to close');
    const { status, body } = await slow;
    assert.deepEqual({ status, body: String(body) }, { status: 200, body: 'late' });
    assert.equal(await code, 0);
    const stored = (await database.knex('settings').select('key')).map(({ key }) => key);
    assert.deepEqual(stored.sort(), acknowledged.sort());
  });
});

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { SHUTDOWN_TIMES } from '../../server/process/shutdown.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { ofSuite } from '../support/of-suite.ts';
import { issueSession, type ServiceProcess, startServiceProcess } from '../support/processes.ts';
import { RawConnection, requestHead, sendRaw } from '../support/raw-client.ts';
import { rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

describeOnDatabases('a service that gets SIGTERM under load', (databases) => {
  let service: ServiceProcess | undefined;
  const upstream = ofSuite(() =>
    startRawUpstream(async (_request, socket) => {
      // This takes longer than the listener stays open.
      await sleep(2_500);
      socket.write(rawResponse('200 OK', [], 'late'));
    }),
  );
  afterEach(() => service?.close());

  it('responds to every request, stores all writes that it acknowledged, and exits with 0', async () => {
    const { url, database } = await databases.createMigrated();
    service = await startServiceProcess({ DATABASE_URL: url, IDENTITY_URL: upstream.url });
    const { port, running } = service;
    const { cookie } = issueSession();
    const acknowledged: string[] = [];
    let closeHeaders = 0;
    let stoppedAt = Number.POSITIVE_INFINITY;

    /** Reconnects twice after `Connection: close`, as clients of a balancer do until the health check has failed. */
    async function use(client: number): Promise<void> {
      for (let connections = 0; connections < 3; connections += 1) {
        const connection = await RawConnection.open(port);
        for (let index = 0; ; index += 1) {
          const key = `${client}.${connections}.${index}`;
          const body = JSON.stringify({ key, value: key, encrypted: true });
          const headers = [cookie, 'Content-Type: application/json', `Content-Length: ${Buffer.byteLength(body)}`];
          connection.write(requestHead('POST /api/settings', headers) + body);
          const { status, complete, header } = await connection.response();
          assert.deepEqual({ status, complete }, { status: 201, complete: true });
          acknowledged.push(key);
          if (header('connection')[0] === 'close') break;
        }
        closeHeaders += 1;
        connection.close();
      }
    }
    /** A client that is slower than the notice period is refused, or its idle connection is closed. */
    const mayBeLate = (error: Error): void => {
      if (performance.now() - stoppedAt < SHUTDOWN_TIMES.noticeMs) throw error;
      assert.match(error.message, /ECONNREFUSED|ECONNRESET|^connection ended, pending: $/);
    };

    const clients = Promise.all(Array.from({ length: 8 }, (_, client) => use(client).catch(mayBeLate)));
    while (acknowledged.length < 50) await sleep(5);
    const slow = sendRaw(port, requestHead('GET /api/identity/slow'));
    while (upstream.requests.length === 0) await sleep(5);
    stoppedAt = performance.now();
    const code = running.stop('SIGTERM');
    await clients;
    assert.ok(closeHeaders > 0, 'no response has Connection: close');
    const { status, body } = await slow;
    assert.deepEqual({ status, body: String(body) }, { status: 200, body: 'late' });
    assert.equal(await code, 0);
    const stored: string[] = await database.knex('settings').pluck('key');
    assert.deepEqual(stored.sort(), acknowledged.sort());
  });
});

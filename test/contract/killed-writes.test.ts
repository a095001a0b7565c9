import assert from 'node:assert/strict';
import { describeOnDatabases } from '../support/databases.ts';
import { until } from '../support/eventually.ts';
import { head, RawConnection } from '../support/raw-client.ts';
import { type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';
import { type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { recordsOf } from '../support/vault.ts';

const CALLERS = 32;

describeOnDatabases('writes through an admin proxy, killed under load', (databases) => {
  let upstream: RawUpstream;
  let service: ServiceProcess;
  afterEach(async () => {
    await service.close();
    await upstream.close();
  });

  it('whatever was acknowledged is recorded, nothing twice, each with the peer that the trusted proxy names', async function () {
    this.timeout(300_000);
    const { url, database } = await databases.migrated();
    upstream = await startRawUpstream((request, socket) =>
      socket.write(rawResponse('201 Created', [`Location: ${request.target}`], '{}')),
    );
    service = await startServiceProcess({ DATABASE_URL: url, IDENTITY_ADMIN_URL: upstream.url, TRUST_PROXY: '1' });
    const acknowledged: string[] = [];
    async function write(caller: number): Promise<void> {
      const connection = await RawConnection.open(service.port);
      for (let index = 0; ; index += 1) {
        const target = `/api/identity-admin/admin/identities/${caller}-${index}`;
        connection.write(head(`PUT ${target}`, ['X-Forwarded-For: 10.1.2.3', 'Content-Length: 0']));
        const { status } = await connection.response();
        assert.equal(status, 201);
        acknowledged.push(target);
      }
    }
    const callers = Promise.allSettled(Array.from({ length: CALLERS }, (_, caller) => write(caller)));
    await until(() => acknowledged.length >= 250);
    await service.running.stop('SIGKILL');
    for (const outcome of await callers)
      assert.match(String(outcome.status === 'rejected' && outcome.reason), /^Error: connection ended/);

    const records = await recordsOf(database);
    const targets = records.map(({ target }) => target as string);
    assert.deepEqual(
      acknowledged.filter((target) => !targets.includes(target)),
      [],
    );
    assert.equal(new Set(targets).size, targets.length);
    assert.deepEqual(records[0]?.['details'], {
      method: 'PUT',
      status: 201,
      peer: '10.1.2.3',
      location: records[0]?.['target'],
    });
  });
});

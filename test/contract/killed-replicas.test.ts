import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCipher } from '../../server/crypto/cipher.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { assertTrailIsIntact, auditRecords, vaultOn } from '../support/audit-trail.ts';
import { TEST_KEYS } from '../support/context.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually, until } from '../support/eventually.ts';
import { issueSession, type ServiceProcess, startServiceProcess } from '../support/processes.ts';
import { RawConnection, type RawResponse, requestHead, sendRaw } from '../support/raw-client.ts';
import { type RawUpstream, rawResponse, startRawUpstream } from '../support/raw-upstream.ts';

/** Also on SQLite, where two processes run while one takes over from the other. */
describeOnDatabases(
  'a replica whose sibling is killed under load',
  (databases) => {
    let replicas: ServiceProcess[] = [];
    afterEach(() => Promise.all(replicas.map((replica) => replica.close())));

    const json = (line: string, cookie: string, body: object): string => {
      const text = JSON.stringify(body);
      return requestHead(line, [cookie, 'Content-Type: application/json', `Content-Length: ${text.length}`]) + text;
    };
    const session = ({ port }: ServiceProcess, cookie: string): Promise<RawResponse> =>
      sendRaw(port, requestHead('GET /api/auth/session', [cookie]));

    it('still serves, with all sessions and revocations and all writes that either replica acknowledged', async () => {
      const { url, database } = await databases.createMigrated();
      replicas = await Promise.all([1, 2].map(() => startServiceProcess({ DATABASE_URL: url })));
      const [killed, survivor] = replicas as [ServiceProcess, ServiceProcess];
      const admin = issueSession();
      const leaving = issueSession();
      const revoked = issueSession();
      for (const replica of replicas)
        for (const { cookie } of [admin, leaving, revoked]) assert.equal((await session(replica, cookie)).status, 200);

      const acknowledged = { killed: [] as string[], survivor: [] as string[] };
      let over = false;
      /** Writes one setting after another until its connection breaks. */
      async function write(replica: keyof typeof acknowledged, writer: number): Promise<void> {
        const connection = await RawConnection.open({ killed, survivor }[replica].port);
        for (let index = 0; !over; index += 1) {
          const key = `${replica}.${writer}.${index}`;
          connection.write(
            json('POST /api/settings', admin.cookie, { key, value: `value of ${key}`, encrypted: true }),
          );
          const { status } = await connection.response();
          // On a busy machine, SQLite may let a writer wait for too long.
          if (status === 503) continue;
          assert.equal(status, 201);
          acknowledged[replica].push(key);
        }
        connection.close();
      }
      const writers = [0, 1, 2, 3];
      const surviving = Promise.all(writers.map((writer) => write('survivor', writer)));
      const dying = Promise.allSettled(writers.map((writer) => write('killed', writer)));
      while (acknowledged.killed.length < 20 || acknowledged.survivor.length < 20) await sleep(5);

      const acknowledges = (request: string): Promise<void> =>
        eventually(async () => (await sendRaw(killed.port, request)).status, 204);
      await acknowledges(requestHead('POST /api/auth/logout', [leaving.cookie]));
      const body = { identity_id: revoked.identityId };
      await acknowledges(json('POST /api/security/revocations', admin.cookie, body));
      assert.equal(await killed.running.stop('SIGKILL'), null);
      assert.deepEqual(
        (await dying).map((outcome) => outcome.status === 'rejected' && String(outcome.reason).split(',')[0]),
        writers.map(() => 'Error: connection ended'),
      );

      const before = acknowledged.survivor.length;
      for (const { cookie } of [leaving, revoked])
        await eventually(async () => (await session(survivor, cookie)).status, 401);
      assert.equal((await session(survivor, admin.cookie)).status, 200);
      const { decrypt } = createCipher({ current: TEST_KEYS.ENCRYPTION_KEY });
      for (const key of acknowledged.killed) {
        const { status, body } = await sendRaw(survivor.port, requestHead(`GET /api/settings/${key}`, [admin.cookie]));
        assert.equal(status, 200, key);
        assert.equal(decrypt(JSON.parse(String(body)).value, { setting: key }), `value of ${key}`);
      }
      while (acknowledged.survivor.length < before + 40) await sleep(5);
      assert.ok(await survivor.isHealthy());
      over = true;
      await surviving;

      const stored: string[] = await database.knex('settings').pluck('key');
      for (const key of [...acknowledged.killed, ...acknowledged.survivor]) assert.ok(stored.includes(key), key);
      const records = await auditRecords(database);
      const targets = (action: string): unknown[] =>
        records.filter((record) => record['action'] === action).map(({ target }) => target);
      assert.deepEqual(targets('setting_write').sort(), stored.sort());
      assert.deepEqual([targets('logout').length, targets('session_revoke')], [1, [revoked.identityId]]);
      await assertTrailIsIntact(database);
    });
  },
  { server: true },
);

describeOnDatabases('a replica that is killed while it proxies writes to an admin API', (databases) => {
  let upstream: RawUpstream;
  let service: ServiceProcess;
  afterEach(async () => {
    await service.close();
    await upstream.close();
  });

  it('has recorded each acknowledged write once, with the client address from the trusted proxy', async () => {
    const { url, database } = await databases.createMigrated();
    upstream = await startRawUpstream((request, socket) =>
      socket.write(rawResponse('201 Created', [`Location: ${request.target}`], '{}')),
    );
    service = await startServiceProcess({ DATABASE_URL: url, IDENTITY_ADMIN_URL: upstream.url, TRUST_PROXY: '1' });
    const acknowledged: string[] = [];
    async function write(caller: number): Promise<void> {
      const connection = await RawConnection.open(service.port);
      for (let index = 0; ; index += 1) {
        const target = `/api/identity-admin/admin/identities/${caller}-${index}`;
        connection.write(requestHead(`PUT ${target}`, ['X-Forwarded-For: 10.1.2.3', 'Content-Length: 0']));
        const { status } = await connection.response();
        assert.equal(status, 201);
        acknowledged.push(target);
      }
    }
    const callers = Promise.allSettled(Array.from({ length: 32 }, (_, caller) => write(caller)));
    await until(() => acknowledged.length >= 250);
    await service.running.stop('SIGKILL');
    for (const outcome of await callers)
      assert.match(String(outcome.status === 'rejected' && outcome.reason), /^Error: connection ended/);

    const records = await auditRecords(database);
    const targets = records.map(({ target }) => target as string);
    assert.deepEqual(
      acknowledged.filter((target) => !targets.includes(target)),
      [],
    );
    assert.equal(new Set(targets).size, targets.length);
    const location = records[0]?.['target'];
    assert.deepEqual(records[0]?.['details'], { method: 'PUT', status: 201, peer: '10.1.2.3', location });
  });
});

describeOnDatabases(
  'a replica that freezes while it holds the lock of the audit trail',
  (databases) => {
    // On SQLite, no server could end the transaction of a process.
    if (databases.client === 'sqlite') return;

    let holder: ChildProcess | undefined;
    afterEach(() => holder?.kill('SIGKILL'));

    it('delays writes but no reads until the server ends its connection, and stores nothing after it continues', async () => {
      const { url, database } = await databases.createMigrated();
      const { vault, audit } = vaultOn(database);
      await vault.put({ key: 'a', value: '1' }, 'ada');
      const frozen = fork(new URL('../support/lock-holder.ts', import.meta.url));
      holder = frozen;
      const message = async (): Promise<unknown> => (await once(frozen, 'message'))[0];
      assert.equal(await message(), 'ready');
      frozen.send(url);
      assert.equal(await message(), 'locked');
      frozen.kill('SIGSTOP');

      const [[{ id }]] = await database.knex.raw(
        'select p.id from information_schema.innodb_trx t join information_schema.processlist p ' +
          'on p.id = t.trx_mysql_thread_id where p.db = database()',
      );
      let isStored = false;
      async function write(): Promise<void> {
        while (!isStored)
          try {
            await vault.put({ key: 'a', value: '2' }, 'ada');
            isStored = true;
          } catch (error) {
            assert.ok(isUnavailable(error));
          }
      }
      const writing = write();
      assert.equal((await vault.get('a'))?.value, '1');
      assert.equal(isStored, false);
      // The server itself does this after SILENT_CLIENT_SECONDS.
      await database.knex.raw('kill ?', [id]);
      await writing;

      const outcome = message();
      frozen.kill('SIGCONT');
      frozen.send('continue');
      assert.equal(await outcome, 'unavailable');
      const actors = (await auditRecords(database)).map(({ actor }) => actor);
      assert.deepEqual(actors, ['ada', 'ada']);
      assert.equal((await audit.verify()).ok, true);
    });
  },
  { server: true },
);

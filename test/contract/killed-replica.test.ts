import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeOnDatabases } from '../support/databases.ts';
import { head, RawConnection, type RawResponse, sendRaw } from '../support/raw-client.ts';
import { issuedSession, type ServiceProcess, startServiceProcess } from '../support/service-process.ts';
import { assertTrailIsWhole, recordsOf } from '../support/vault.ts';

const LANES = 4;

/** On SQLite, one process takes over from another. */
describeOnDatabases(
  'two replicas under load, one of which is killed',
  (databases) => {
    let replicas: ServiceProcess[] = [];
    afterEach(() => Promise.all(replicas.map((replica) => replica.close())));

    const json = (line: string, cookie: string, body: object): string => {
      const text = JSON.stringify(body);
      return head(line, [cookie, 'Content-Type: application/json', `Content-Length: ${text.length}`]) + text;
    };
    const session = ({ port }: ServiceProcess, cookie: string): Promise<RawResponse> =>
      sendRaw(port, head('GET /api/auth/session', [cookie]));

    it('the other serves on, knows every session and its end, and has all that was acknowledged', async function () {
      this.timeout(300_000);
      const { url, database } = await databases.migrated();
      replicas = await Promise.all([1, 2].map(() => startServiceProcess({ DATABASE_URL: url })));
      const [killed, survivor] = replicas as [ServiceProcess, ServiceProcess];
      const admin = issuedSession();
      const leaving = issuedSession();
      const revoked = issuedSession();
      for (const replica of replicas)
        for (const { cookie } of [admin, leaving, revoked]) assert.equal((await session(replica, cookie)).status, 200);

      const acknowledged = { killed: [] as string[], survivor: [] as string[] };
      let over = false;
      /** Writes one setting after another; a connection that breaks is the end of it. */
      async function write(replica: keyof typeof acknowledged, lane: number): Promise<void> {
        const connection = await RawConnection.open({ killed, survivor }[replica].port);
        for (let index = 0; !over; index += 1) {
          const key = `${replica}.${lane}.${index}`;
          connection.write(
            json('POST /api/settings', admin.cookie, { key, value: `value of ${key}`, encrypted: false }),
          );
          const { status } = await connection.response();
          assert.equal(status, 201);
          acknowledged[replica].push(key);
        }
        connection.close();
      }
      const lanes = Array.from({ length: LANES }, (_, lane) => lane);
      const surviving = Promise.all(lanes.map((lane) => write('survivor', lane)));
      const dying = Promise.allSettled(lanes.map((lane) => write('killed', lane)));
      while (acknowledged.killed.length < 20 || acknowledged.survivor.length < 20) await sleep(5);

      const signedOut = await sendRaw(killed.port, head('POST /api/auth/logout', [leaving.cookie]));
      const body = { identity_id: revoked.identityId };
      const ended = await sendRaw(killed.port, json('POST /api/security/revocations', admin.cookie, body));
      assert.equal(await killed.running.stop('SIGKILL'), null);
      assert.deepEqual([signedOut.status, ended.status], [204, 204]);
      assert.deepEqual(
        (await dying).map((outcome) => outcome.status === 'rejected' && String(outcome.reason).split(',')[0]),
        lanes.map(() => 'Error: connection ended'),
      );

      const before = acknowledged.survivor.length;
      for (const { cookie } of [leaving, revoked])
        while ((await session(survivor, cookie)).status !== 401) await sleep(50);
      assert.equal((await session(survivor, admin.cookie)).status, 200);
      for (const key of acknowledged.killed) {
        const { status, body } = await sendRaw(survivor.port, head(`GET /api/settings/${key}`, [admin.cookie]));
        assert.deepEqual([status, JSON.parse(String(body)).value], [200, `value of ${key}`]);
      }
      while (acknowledged.survivor.length < before + 40) await sleep(5);
      assert.ok(await survivor.isHealthy());
      over = true;
      await surviving;

      const stored: string[] = (await database.knex('settings').select('key')).map(({ key }) => key);
      for (const key of [...acknowledged.killed, ...acknowledged.survivor]) assert.ok(stored.includes(key), key);
      const records = await recordsOf(database);
      const targets = (action: string): unknown[] =>
        records.filter((record) => record['action'] === action).map(({ target }) => target);
      assert.deepEqual(targets('setting_write').sort(), stored.sort());
      assert.deepEqual([targets('logout').length, targets('session_revoke')], [1, [revoked.identityId]]);
      await assertTrailIsWhole(database);
    });
  },
  { server: true },
);

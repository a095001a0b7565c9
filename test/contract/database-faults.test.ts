import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from '../../server/db/database.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { recordsOf, vaultOn, verifiedRecords } from '../support/vault.ts';

describeOnDatabases(
  'what was acknowledged',
  (databases) => {
    let writer: ChildProcess | undefined;
    afterEach(() => writer?.kill('SIGKILL'));

    /** Every acknowledged setting decrypts, and every stored one has its record in an intact chain. */
    async function assertKept(database: Database, acknowledged: readonly string[]): Promise<void> {
      const { vault, audit } = vaultOn(database);
      for (const key of acknowledged) assert.equal((await vault.reveal(key, 'ada'))?.value, `value of ${key}`);
      const written = (await recordsOf(database)).filter(({ action }) => action === 'setting_write');
      const stored: string[] = (await database.knex('settings').select('key')).map(({ key }) => key);
      assert.deepEqual([...new Set(written.map(({ target }) => target))].sort(), stored.sort());
      assert.equal(typeof (await verifiedRecords(audit)), 'number');
    }

    it('is there after its process was killed while it was writing', async () => {
      const { url, database } = await databases.migrated();
      const acknowledged: string[] = [];
      writer = fork(new URL('../support/settings-writer.ts', import.meta.url));
      await once(writer, 'message');
      writer.on('message', (key: string) => acknowledged.push(key));
      writer.send(url);
      while (acknowledged.length < 30) await once(writer, 'message');
      const gone = once(writer, 'exit');
      writer.kill('SIGKILL');
      await gone;
      await assertKept(database, acknowledged);
    });

    if (databases.client === 'sqlite') return;

    it('is there after the server cut every connection again and again, and what failed can be retried', async () => {
      const { url, database } = await databases.migrated();
      const { vault } = vaultOn(databases.open(url));
      const name = new URL(url).pathname.slice(1);
      const acknowledged: string[] = [];
      let failures = 0;
      let cuts = 0;
      const done = (): boolean => cuts >= 8 && failures >= 8;

      async function write(lane: number): Promise<void> {
        for (let index = 0; !done(); index += 1) {
          const key = `${lane}.${index}`;
          // After a failure the caller retries; the failed call may have taken effect all the same.
          for (;;) {
            try {
              await vault.put({ key, value: `value of ${key}`, encrypted: true }, 'ada');
              break;
            } catch (error) {
              assert.ok(isUnavailable(error), String(error));
              failures += 1;
            }
          }
          acknowledged.push(key);
        }
      }
      async function cut(): Promise<void> {
        const own = (await database.knex.raw('select connection_id() as id'))[0][0].id;
        const [open] = await database.knex.raw(
          'select id from information_schema.processlist where db = ? and id <> ?',
          [name, own],
        );
        for (const { id } of open) await database.knex.raw('kill connection ?', [id]).catch(() => {});
      }
      const writing = Promise.all([0, 1, 2, 3].map(write));
      for (; !done(); cuts += 1) {
        await sleep(20);
        await cut();
      }
      await writing;
      assert.ok(acknowledged.length > 0);
      await assertKept(database, acknowledged);
    });

    it('is stored after a deadlock with another program, whichever of the two the server ends', async () => {
      const { url, database } = await databases.migrated();
      const { vault } = vaultOn(database);
      const write = () => vault.put({ key: 'contended', value: 'value of contended', encrypted: true }, 'ada');
      for (let index = 0; index < 20; index += 1) await write();
      const other = databases.open(url);
      const observer = databases.open(url);
      const name = new URL(url).pathname.slice(1);
      /** Statements under way that write the setting. */
      const waiting = async (): Promise<number> => {
        const [rows] = await observer.knex.raw(
          "select 1 from information_schema.processlist where db = ? and info like 'update `settings` %'",
          [name],
        );
        return rows.length;
      };
      for (const isHeavy of [true, false]) {
        let put: Promise<unknown> = Promise.resolve();
        await other.knex
          .transaction(async (trx) => {
            // The more rows a transaction has changed, the less likely the server picks it as the deadlock victim.
            if (isHeavy) await trx('audit_log').update({ subject: '' });
            await trx('settings').where({ key: 'contended' }).forUpdate().first();
            put = write();
            // It holds the lock on the head and waits for the setting.
            await eventually(waiting, 1);
            await trx('audit_head').where({ id: 1 }).forUpdate().first();
            throw new Error('nothing of this one stays');
          })
          .catch(() => {});
        await put;
      }
      assert.equal((await recordsOf(database)).length, 20 + 2);
      await assertKept(database, ['contended']);
    });
  },
  { server: true },
);

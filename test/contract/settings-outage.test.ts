import assert from 'node:assert/strict';
import { isUnavailable } from '../../server/db/errors.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { severable } from '../support/severable.ts';
import { recordsOf, vaultOn } from '../support/vault.ts';

const ADA = 'd1b2c3d4-0000-4000-8000-000000000001';

describeOnDatabases(
  'settings in an outage',
  (databases) => {
    it('are neither written, deleted nor decrypted where the record of it cannot be stored', async () => {
      const { database } = await databases.migrated();
      const { vault } = vaultOn(database);
      await vault.put({ key: 'kept', value: 'before', encrypted: true }, ADA);
      await database.knex.schema.renameTable('audit_log', 'audit_log_away');
      await assert.rejects(() => vault.put({ key: 'kept', value: 'after', encrypted: true }, ADA));
      await assert.rejects(() => vault.put({ key: 'new', value: 'x' }, ADA));
      await assert.rejects(() => vault.remove('kept', ADA));
      await assert.rejects(async () => vault.reveal('kept', ADA));
      await database.knex.schema.renameTable('audit_log_away', 'audit_log');
      assert.equal((await vault.reveal('kept', ADA))?.value, 'before');
      assert.equal(await vault.get('new'), undefined);
    });

    if (databases.client === 'sqlite')
      it('are refused as unavailable once the database is closed', async () => {
        const { database } = await databases.migrated();
        const { vault } = vaultOn(database);
        await vault.get('any');
        await database.close();
        await assert.rejects(async () => vault.get('any'), isUnavailable);
        await assert.rejects(() => vault.put({ key: 'any', value: '' }, ADA), isUnavailable);
        await assert.rejects(async () => database.ping(), isUnavailable);
      });

    if (databases.client === 'mysql')
      it('are refused as unavailable when the server is lost in mid-request, and nothing is half-written', async () => {
        const { url, database: direct } = await databases.migrated();
        const way = await severable(url);
        const database = databases.open(way.url);
        let cut: Promise<void> | undefined;
        const { vault } = vaultOn(database, {
          // The clock is read between the transaction's begin and its first write.
          now: () => {
            cut ??= way.sever();
            return Date.now();
          },
        });
        await assert.rejects(() => vault.put({ key: 'new', value: '1' }, ADA), isUnavailable);
        await cut;
        await assert.rejects(async () => vault.get('new'), isUnavailable);
        await assert.rejects(async () => vault.list()[Symbol.asyncIterator]().next(), isUnavailable);
        await assert.rejects(() => database.ping(), isUnavailable);
        assert.deepEqual(await recordsOf(direct), []);
        assert.equal(await vaultOn(direct).vault.get('new'), undefined);
        await way.restore();
        await database.ping();
        assert.equal((await vault.put({ key: 'new', value: '1' }, ADA)).created, true);
        await way.close();
      });
  },
  { server: true },
);

import assert from 'node:assert/strict';
import { isUnavailable } from '../../server/db/unavailable.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { severable } from '../support/severable.ts';
import { vaultOn } from '../support/vault.ts';

const ADA = 'd1b2c3d4-0000-4000-8000-000000000001';

/** Each of these waits for the database as long as the service does. */
describeOnDatabases('settings in a long outage', (databases) => {
  if (databases.client === 'sqlite')
    it('are refused as unavailable while another process holds the database, and can be read', async () => {
      const { url, database } = await databases.migrated();
      const { vault } = vaultOn(database);
      await vault.put({ key: 'kept', value: '1' }, ADA);
      await databases.open(url).transaction(async () => {
        await assert.rejects(() => vault.put({ key: 'kept', value: '2' }, ADA), isUnavailable);
        assert.equal((await vault.get('kept'))?.value, '1');
      });
      await vault.put({ key: 'kept', value: '3' }, ADA);
      assert.equal((await vault.get('kept'))?.value, '3');
    });

  if (databases.client === 'mysql')
    it('are refused as unavailable when the server falls silent, also in mid-request', async () => {
      const { url } = await databases.migrated();
      const way = await severable(url);
      const database = databases.open(way.url);
      const { vault } = vaultOn(database);
      await vault.put({ key: 'kept', value: '1' }, ADA);
      const { vault: interrupted } = vaultOn(database, {
        now: () => {
          way.silence();
          return Date.now();
        },
      });
      await assert.rejects(() => interrupted.put({ key: 'kept', value: '2' }, ADA), isUnavailable);
      await Promise.all([
        assert.rejects(() => database.ping(), isUnavailable),
        assert.rejects(async () => vault.get('kept'), isUnavailable),
        assert.rejects(() => vault.put({ key: 'kept', value: '2' }, ADA), isUnavailable),
      ]);
      await way.close();
    });
});

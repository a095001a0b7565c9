import assert from 'node:assert/strict';
import { countedDatabase } from '../support/counted-database.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { startSettingsApp } from '../support/settings-app.ts';

const PATH = '/api/connections/social';
const FLOOD = 50;

describeOnDatabases('the list of social providers under a flood of strangers', (databases) => {
  it('asks the database once a minute for each setting, and for none while it is remembered', async () => {
    const { database } = await databases.migrated();
    const counted = countedDatabase(database);
    const app = await startSettingsApp(counted);
    try {
      const put = (key: string, value: string): Promise<unknown> =>
        app.vault.put({ key, value, category: 'social' }, 'somebody');
      for (const name of ['github', 'google']) {
        await put(`social.${name}.client_id`, 'id');
        await put(`social.${name}.client_secret`, 'secret');
        await put(`social.${name}.enabled`, 'true');
      }
      await put('social.broken.client_id', 'id');
      await put('social.order', 'google,github');
      // A value that no key decrypts is cached too.
      await database
        .knex('settings')
        .where({ key: 'social.broken.client_id' })
        .update({ encrypted: 1, value: 'no ciphertext' });

      // A server is asked once what it is.
      await database.statement('select 1').get();
      const flood = async (): Promise<number> => {
        const before = counted.asked();
        await Promise.all(
          Array.from({ length: FLOOD }, async () => {
            const answer = await app.call(PATH);
            assert.equal(answer.status, 200);
            await answer.arrayBuffer();
          }),
        );
        return counted.asked() - before;
      };
      const first = await flood();
      // The keys, the order, and the settings of each provider.
      assert.ok(first > 0 && first <= 15, `${first} queries`);
      assert.equal(await flood(), 0);
      app.clock.now += 61_000;
      assert.equal(await flood(), first);
      assert.equal(await flood(), 0);

      await put('social.google.enabled', 'false');
      const shown = (await (await app.call(PATH)).json()) as { providers: { provider: string }[] };
      assert.deepEqual(
        shown.providers.map(({ provider }) => provider),
        ['github'],
      );
      assert.equal(await flood(), 0);
    } finally {
      await app.close();
    }
  });
});

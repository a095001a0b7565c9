import { createCipher } from '../../server/crypto/cipher.ts';
import { type ChangePoll, changePoll } from '../../server/db/change-poll.ts';
import { migrate } from '../../server/db/open-database.ts';
import { cachedSettings } from '../../server/settings/cache.ts';
import { describeOnCluster } from '../support/cluster.ts';
import { silentLog } from '../support/context.ts';
import { eventually } from '../support/eventually.ts';
import { ENCRYPTION_KEY, vaultOn } from '../support/vault.ts';

const KEY = 'upstream.identity-admin.api_key';

describeOnCluster('a setting that is written through any node of a cluster', (cluster) => {
  let polls: ChangePoll[] = [];
  afterEach(() => {
    for (const poll of polls) poll.close();
    polls = [];
  });

  it('is used through all of them: where its version has arrived, so has its value', async function () {
    this.timeout(120_000);
    for (const index of cluster.urls().keys()) await migrate(cluster.open(index), silentLog);
    const replicas = cluster.urls().map((_, index) => {
      const database = cluster.open(index);
      const cipher = createCipher({ current: ENCRYPTION_KEY });
      const settings = cachedSettings({ database, cipher, ttlSeconds: 3_600, monotonic: () => 0 });
      polls.push(
        changePoll({
          ...{ database, log: silentLog, pollMs: 5 },
          ...{ settings: settings.follow, revocations: async () => {} },
        }),
      );
      return { settings, ...vaultOn(database) };
    });
    for (const poll of polls) await poll.start();
    const used = () => Promise.all(replicas.map(async ({ settings }) => (await settings.get(KEY))?.value));
    for (let round = 0; round < 20; round += 1) {
      const value = `key ${round}`;
      await replicas[round % replicas.length]?.vault.put({ key: KEY, value }, 'ada');
      await eventually(
        used,
        replicas.map(() => value),
      );
    }
  });
});

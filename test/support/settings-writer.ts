import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { openDatabase } from '../../server/db/open-database.ts';
import { vaultOn } from './vault.ts';

/** A process that writes settings without end, several at a time, and says of each that it is stored. */
process.once('message', (url: string) => {
  const { vault } = vaultOn(openDatabase(parseDatabaseUrl(url), { warn: () => {} }));
  async function write(lane: number): Promise<void> {
    for (let index = 0; ; index += 1) {
      const key = `${lane}.${index}`;
      await vault.put({ key, value: `value of ${key}`, encrypted: true }, 'ada');
      process.send?.(key);
    }
  }
  for (let lane = 0; lane < 4; lane += 1) void write(lane);
});
process.send?.('ready');

import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import type { LockTimes } from '../../server/db/migration-lock.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';

interface Order {
  url: string;
  times?: LockTimes;
  /** The process ends itself without a word before a statement that begins so. */
  killBefore?: string;
  /** It freezes itself once it has recorded so many migrations, before its next transaction. */
  freezeAfter?: number;
}

/**
 * A process that migrates each database it is told, and says which migrations it ran, or how it failed, and what it
 * changed after it was frozen.
 */
process.on('message', async ({ url, times, killBefore, freezeAfter = Number.POSITIVE_INFINITY }: Order) => {
  const database = openDatabase(parseDatabaseUrl(url), { warn: () => {} });
  const recording = new Set<string>();
  let recorded = 0;
  let thawed: string[] | undefined;
  database.knex.on('query', ({ sql, __knexUid: connection }: { sql: string; __knexUid: string }) => {
    if (killBefore !== undefined && sql.startsWith(killBefore)) process.kill(process.pid, 'SIGKILL');
    if (/^(?:create|insert)/.test(sql)) thawed?.push(sql);
    if (sql.startsWith('insert into `knex_migrations` ')) recording.add(connection);
    // The lock is renewed in transactions of their own, which may begin before a migration is committed.
    if (sql === 'COMMIT;' && recording.delete(connection)) recorded += 1;
    if (sql !== 'BEGIN;' || recorded < freezeAfter || thawed !== undefined) return;
    thawed = [];
    process.kill(process.pid, 'SIGSTOP');
  });
  try {
    const ran = await migrate(database, { info: () => {}, warn: () => {} }, { times });
    process.send?.({ ran, thawed });
  } catch (error) {
    process.send?.({ failed: String(error) });
  } finally {
    await database.close();
  }
});
process.send?.('ready');

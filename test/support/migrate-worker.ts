import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import type { LockTimes } from '../../server/db/migration-lock.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';

interface Task {
  url: string;
  times?: LockTimes;
  /** Kills its own process before a statement that begins with this text. */
  killBefore?: string;
  /** Stops its own process once it has recorded this many migrations, before its next transaction. */
  freezeAfter?: number;
}

/**
 * A process that migrates each database whose address it receives. It reports the migrations that ran, or the failure, and
 * its writes after a freeze.
 */
process.on('message', async ({ url, times, killBefore, freezeAfter = Number.POSITIVE_INFINITY }: Task) => {
  const database = openDatabase(parseDatabaseUrl(url), { warn: () => {} });
  const recording = new Set<string>();
  let recorded = 0;
  let afterFreeze: string[] | undefined;
  database.knex.on('query', ({ sql, __knexUid: connection }: { sql: string; __knexUid: string }) => {
    if (killBefore !== undefined && sql.startsWith(killBefore)) process.kill(process.pid, 'SIGKILL');
    if (/^(?:create|insert)/.test(sql)) afterFreeze?.push(sql);
    if (sql.startsWith('insert into `knex_migrations` ')) recording.add(connection);
    // The lock is renewed in transactions of their own, which may begin before a migration is committed.
    if (sql === 'COMMIT;' && recording.delete(connection)) recorded += 1;
    if (sql !== 'BEGIN;' || recorded < freezeAfter || afterFreeze !== undefined) return;
    afterFreeze = [];
    process.kill(process.pid, 'SIGSTOP');
  });
  try {
    const ran = await migrate(database, { info: () => {}, warn: () => {} }, { times });
    process.send?.({ ran, afterFreeze });
  } catch (error) {
    process.send?.({ failed: String(error) });
  } finally {
    await database.close();
  }
});
process.send?.('ready');

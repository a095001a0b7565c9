import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';

interface Order {
  url: string;
  /** The process ends itself without a word before a statement that begins so. */
  killBefore?: string;
}

/** A process that migrates each database it is told, and says which migrations it ran, or how it failed. */
process.on('message', async ({ url, killBefore }: Order) => {
  const ran: unknown[] = [];
  const database = openDatabase(parseDatabaseUrl(url), { warn: () => {} });
  database.knex.on('query', ({ sql }: { sql: string }) => {
    if (killBefore !== undefined && sql.startsWith(killBefore)) process.kill(process.pid, 'SIGKILL');
  });
  try {
    await migrate(database, { info: (fields) => ran.push(...(fields as { migrations: unknown[] }).migrations) });
    process.send?.({ ran });
  } catch (error) {
    process.send?.({ failed: String(error) });
  } finally {
    await database.close();
  }
});
process.send?.('ready');

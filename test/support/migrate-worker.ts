import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';

/** A process that migrates each database it is told, and says which migrations it ran, or how it failed. */
process.on('message', async (url: string) => {
  const ran: unknown[] = [];
  const database = openDatabase(parseDatabaseUrl(url), { warn: () => {} });
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

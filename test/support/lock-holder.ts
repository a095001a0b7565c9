import { once } from 'node:events';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { isUnavailable } from '../../server/db/errors.ts';
import { openDatabase } from '../../server/db/open-database.ts';
import { auditOn } from './audit-trail.ts';

/** A process that locks the audit trail in a transaction until the next message, and reports how the transaction ended. */
process.once('message', async (url: string) => {
  const database = openDatabase(parseDatabaseUrl(url), { warn: () => {} });
  const { audit } = auditOn(database);
  try {
    await database.transaction(async (trx) => {
      await audit.lock(trx);
      await audit.record({ action: 'login', actor: 'frozen', target: null }, trx);
      process.send?.('locked');
      await once(process, 'message');
    });
    process.send?.('committed');
  } catch (error) {
    process.send?.(isUnavailable(error) ? 'unavailable' : `failed: ${error}`);
  } finally {
    await database.close();
    process.disconnect();
  }
});
process.send?.('ready');

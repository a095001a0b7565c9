import { parseDatabaseUrl } from '../db/database-address.ts';
import { openDatabase } from '../db/open-database.ts';
import type { LockTable } from '../sandbox/parts.ts';

/**
 * The dashboard's table of locked accounts over a separate connection: it imitates a sign-in page that can access
 * nothing else.
 */
export function lockTable(databaseUrl: string): LockTable & { close(): Promise<void> } {
  const database = openDatabase(parseDatabaseUrl(databaseUrl), { warn: () => {} });
  const locked = database.statement(
    'select 1 from locked_accounts where identifier = ? and (locked_until is null or locked_until > ?)',
  );
  return {
    isLocked: async (identifier, at) => (await locked.get(identifier, at)) !== undefined,
    async lock({ identifier, attempts, ip, at, until }) {
      const lock = { reason: 'wrong_password', attempts, trigger_ip: ip, locked_at: at, locked_until: until };
      await database.transaction((trx) =>
        trx('locked_accounts')
          .insert({ identifier, ...lock })
          .onConflict('identifier')
          .merge(lock),
      );
    },
    close: database.close,
  };
}

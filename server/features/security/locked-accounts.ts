import { createHash } from 'node:crypto';
import { LOCKED_ACCOUNTS_MAX, type LockedAccount, type LockedAccountList } from '../../../shared/locked-accounts.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { Database } from '../../db/database.ts';

/** Accounts locked by the platform's login page, in a table that it writes. */
export interface LockedAccounts {
  list(): Promise<LockedAccountList>;
  /** The locks of these identifiers, trimmed and in lower case; at most `LOCKED_IDENTIFIERS_MAX`. */
  locksOf(identifiers: readonly string[]): Promise<LockedAccountList>;
  /** Removes the lock and records that in one transaction. @returns whether the account was locked */
  unlock(identifier: string, actor: string): Promise<boolean>;
}

type Row = Omit<LockedAccount, 'id'>;

/** A lock has no end, or one in the future: each condition is one range of the index. */
const eachLocked = (query: (condition: string) => string): string =>
  ['locked_until is null', 'locked_until > ?'].map(query).join(' union all ');

/** @param options.now milliseconds since the epoch */
export function lockedAccounts(options: { database: Database; audit: AuditTrail; now: () => number }): LockedAccounts {
  const { database, audit, now } = options;
  const rows = database.statement<Row>(
    `select * from (${eachLocked(
      (condition) => `select * from
        (select identifier, reason, attempts, trigger_ip, locked_at, locked_until from locked_accounts
         where ${condition} order by locked_at desc limit ${LOCKED_ACCOUNTS_MAX}) as newest`,
    )}) as merged order by locked_at desc, identifier limit ${LOCKED_ACCOUNTS_MAX}`,
  );
  const count = database.statement<{ total: number }>(
    `select sum(n) as total from
       (${eachLocked((condition) => `select count(*) as n from locked_accounts where ${condition}`)}) as counted`,
  );
  const one = database.statement<Row>(
    `select identifier, reason, attempts, trigger_ip, locked_at, locked_until from locked_accounts
       where identifier = ? and (locked_until is null or locked_until > ?)`,
  );
  const moment = (): string => new Date(now()).toISOString();

  return {
    async list() {
      const at = moment();
      const [found, counted] = await Promise.all([rows.all(at), count.get(at)]);
      const data = found.map((row) => ({ id: idOf(row.identifier), ...row }));
      const total = Math.max(Number(counted?.total ?? 0), data.length);
      return { data, total, truncated: total > data.length };
    },
    async locksOf(identifiers) {
      const at = moment();
      const found = await Promise.all(identifiers.map((identifier) => one.all(identifier, at)));
      const data = found.flat().map((row) => ({ id: idOf(row.identifier), ...row }));
      return { data, total: data.length, truncated: false };
    },
    unlock: (identifier, actor) =>
      database.transaction(async (trx) => {
        await audit.lock(trx);
        const at = moment();
        const row: Row | undefined = await trx<Row>('locked_accounts')
          .where({ identifier })
          .where((locked) => locked.whereNull('locked_until').orWhere('locked_until', '>', at))
          .forUpdate()
          .first('reason', 'attempts', 'locked_until');
        if (row === undefined) return false;
        await trx('locked_accounts').where({ identifier }).delete();
        const { reason, attempts, locked_until } = row;
        const details = { reason, attempts, locked_until };
        await audit.record({ action: 'account_unlock', actor, target: identifier, details }, trx);
        return true;
      }),
  };
}

const idOf = (identifier: string): string => createHash('sha256').update(identifier).digest('base64url').slice(0, 22);

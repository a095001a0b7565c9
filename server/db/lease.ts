import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { isDuplicate } from './errors.ts';

/** Seconds since the epoch by the database's clock, in SQL: the same for all processes. */
export const databaseClock = (client: Database['client']): string =>
  client === 'mysql' ? 'unix_timestamp()' : "cast(strftime('%s', 'now') as integer)";

/** A lock in a row that expires by the database's clock: if its holder dies, others can take it after that. */
export function lease({ client, transaction }: Database, name: string) {
  const holder = randomUUID();
  const clock = databaseClock(client);
  const row = (trx: Knex.Transaction): Knex.QueryBuilder => trx('leases').where({ name });

  return {
    /**
     * Takes the lease, or extends it.
     * @returns whether this process has the lease for the next `seconds`; false while another process has it
     */
    async hold(seconds: number) {
      return transaction(async (trx) => {
        const expires_at = trx.raw(`${clock} + ?`, [seconds]);
        const taken = await row(trx)
          .where((mine) => mine.where({ holder }).orWhereRaw(`expires_at <= ${clock}`))
          .update({ holder, expires_at });
        // MySQL does not count a row whose values stay the same.
        if (taken > 0 || (await row(trx).where({ holder }).first('name')) !== undefined) return true;
        if ((await row(trx).first('name')) !== undefined) return false;
        await trx('leases').insert({ name, holder, expires_at });
        return true;
      }).catch((error: unknown) => {
        // Another process inserted the row first.
        if (isDuplicate(error)) return false;
        throw error;
      });
    },
    /** Whether this process still has the lease. If so, no other process can take it before the transaction ends. */
    async isHeld(trx: Knex.Transaction) {
      const mine = row(trx).where({ holder }).whereRaw(`expires_at > ${clock}`);
      return (await mine.forUpdate().first('name')) !== undefined;
    },
    /** Releases the lease if this process has it. */
    release: () => transaction(async (trx) => void (await row(trx).where({ holder }).delete())),
  };
}

export type Lease = ReturnType<typeof lease>;

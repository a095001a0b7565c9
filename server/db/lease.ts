import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import type { Database } from './database.ts';
import { isDuplicate } from './errors.ts';

/** Seconds since the epoch by the database's clock, in SQL: the same for all processes. */
export const databaseClock = (client: Database['client']): string =>
  client === 'mysql' ? 'unix_timestamp()' : "cast(strftime('%s', 'now') as integer)";

/** A row with an end, by the database's clock: a process that dies holds it until then. */
export function lease({ client, transaction }: Database, name: string) {
  const holder = randomUUID();
  const clock = databaseClock(client);
  const row = (trx: Knex.Transaction): Knex.QueryBuilder => trx('leases').where({ name });

  return {
    /**
     * Takes it, or keeps it for longer.
     * @returns whether it is ours for the next `seconds`; false while another process holds it
     */
    async hold(seconds: number) {
      return transaction(async (trx) => {
        const expires_at = trx.raw(`${clock} + ?`, [seconds]);
        const taken = await row(trx)
          .where((mine) => mine.where({ holder }).orWhereRaw(`expires_at <= ${clock}`))
          .update({ holder, expires_at });
        // MySQL does not count a row that is as it was.
        if (taken > 0 || (await row(trx).where({ holder }).first('name')) !== undefined) return true;
        if ((await row(trx).first('name')) !== undefined) return false;
        await trx('leases').insert({ name, holder, expires_at });
        return true;
      }).catch((error: unknown) => {
        // Another process was first with the insert.
        if (isDuplicate(error)) return false;
        throw error;
      });
    },
    /** Whether it is ours still, and until the transaction has ended: what is written in it is written by nobody else. */
    async isHeld(trx: Knex.Transaction) {
      const mine = row(trx).where({ holder }).whereRaw(`expires_at > ${clock}`);
      return (await mine.forUpdate().first('name')) !== undefined;
    },
    /** Gives it back, if it is ours. */
    release: () => transaction(async (trx) => void (await row(trx).where({ holder }).delete())),
  };
}

export type Lease = ReturnType<typeof lease>;

import type { Knex } from 'knex';
import type { Database } from '../db/database.ts';
import type { ChainHead } from './audit-chain.ts';

/** The start of a trail of which nothing was pruned. */
export const WHOLE: ChainHead = { sequence: 0, tag: '' };

/** The row of `audit_head` that holds the start, once records were pruned. */
const ROW = 2;

/**
 * In SQL, the sequence of the last record that was pruned: only records after it are part of the trail. Rows up to it
 * are those that a prune has yet to delete, or that somebody has put there.
 */
export const LAST_PRUNED = `coalesce((select sequence from audit_head where id = ${ROW}), 0)`;

/**
 * Reads the place after which the trail begins. Whoever can write to the database can move it: it counts once a walk has
 * found the record of the prune that ended there.
 */
export function readStart(database: Database): () => Promise<ChainHead> {
  const start = database.statement<ChainHead>(`select sequence, tag from audit_head where id = ${ROW}`);
  return async () => (await start.get()) ?? WHOLE;
}

/** The same within a transaction that has locked the chain. */
export const startIn = async (trx: Knex.Transaction): Promise<ChainHead> =>
  (await trx('audit_head').where({ id: ROW }).first('sequence', 'tag')) ?? WHOLE;

/** In the transaction that records the prune: from then on, no reader shows the records up to this place. */
export async function moveStart(trx: Knex.Transaction, { sequence, tag }: ChainHead): Promise<void> {
  await trx('audit_head').where({ id: ROW }).delete();
  await trx('audit_head').insert({ id: ROW, sequence, tag });
}

/** What the trail knows of a place: the last pruned one is still known, by its tag. */
export type Standing = 'known' | 'pruned' | 'unknown';

/** Looks up a place that an export or a verdict named. */
export function standingOf(database: Database): (place: ChainHead) => Promise<Standing> {
  const start = readStart(database);
  const tagAt = database.statement<{ tag: string }>('select tag from audit_log where sequence = ?');
  return async ({ sequence, tag }) => {
    const from = await start();
    if (sequence < from.sequence) return 'pruned';
    const found = sequence === from.sequence ? from : await tagAt.get(sequence);
    return found?.tag === tag ? 'known' : 'unknown';
  };
}

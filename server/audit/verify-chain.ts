import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import type { AuditChain, ChainedRecord, ChainHead } from './audit-chain.ts';

/** `sequence` is where the first problem stands. */
export type ChainVerdict = { ok: true; records: number } | { ok: false; sequence: number; problem: string };

const BATCH = 500;

/** Walks the chain in batches; records that are appended meanwhile are no problem. */
export async function verifyChain(database: Database, chain: AuditChain): Promise<ChainVerdict> {
  const readHead = database.statement<ChainHead>('select sequence, tag from audit_head where id = 1');
  const readBatch = database.statement<ChainedRecord>(
    `select sequence, key_id, previous_tag, tag, record, action, actor, recorded_at
     from audit_log where sequence > ? order by sequence limit ${BATCH}`,
  );
  const failed = (sequence: number, problem: string): ChainVerdict => ({ ok: false, sequence, problem });

  const first: ChainedRecord | undefined = await database.knex('audit_log').orderBy('sequence').first();
  if (first !== undefined && first.sequence < 1) return failed(first.sequence, 'the record stands before the first');
  const promised = await readHead.get();
  if (promised === undefined) return failed(0, 'the head of the chain is missing');

  let last: ChainHead = { sequence: 0, tag: '' };
  for (;;) {
    const batch = await readBatch.all(last.sequence);
    for (const record of batch) {
      const problem = chain.problemOf(last, record);
      if (problem !== undefined) return failed(record.sequence, problem);
      if (record.sequence === promised.sequence && record.tag !== promised.tag)
        return failed(record.sequence, 'the head of the chain names another record');
      last = record;
    }
    if (batch.length < BATCH) break;
    await nextTurn();
  }
  if (last.sequence < promised.sequence) return failed(last.sequence + 1, 'the records from here on are missing');
  // Appends move the head in their own transaction: it is never behind what could be read before it.
  const head = await readHead.get();
  if (head === undefined || head.sequence < last.sequence)
    return failed(last.sequence, 'the head of the chain stands before its last record');
  return { ok: true, records: last.sequence };
}

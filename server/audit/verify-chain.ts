import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import type { AuditChain, ChainedRecord, ChainHead } from './audit-chain.ts';

/** `sequence` is where the first problem stands. */
export type ChainFault = { ok: false; sequence: number; problem: string };
export type ChainVerdict = { ok: true; records: number } | ChainFault;

/** Verified in some five milliseconds, after which others get their turn. */
const BATCH = 250;
export const NO_RECORD: ChainHead = { sequence: 0, tag: '' };

/** Walks the whole chain. */
export async function verifyChain(database: Database, chain: AuditChain): Promise<ChainVerdict> {
  const end = await chainWalk(database, chain)(NO_RECORD);
  return 'problem' in end ? end : { ok: true, records: end.sequence };
}

/** Verifies what follows `from`, which was verified before, up to the chain's end. @returns that end, or the first fault */
export type ChainWalk = (from: ChainHead, options?: WalkOptions) => Promise<ChainHead | ChainFault>;

export interface WalkOptions {
  /** Called after each batch with the last record that was verified; the walk waits for it. */
  pause?: (verified: ChainHead) => Promise<unknown>;
  /** Must turn up again under the same tag: records that were there once. */
  mustReach?: ChainHead;
}

/** Walks in batches; records that are appended meanwhile are no problem. */
export function chainWalk(database: Database, chain: AuditChain): ChainWalk {
  const readHead = database.statement<ChainHead>('select sequence, tag from audit_head where id = 1');
  const readFirst = database.statement<ChainHead>('select sequence, tag from audit_log order by sequence limit 1');
  const readBatch = database.statement<ChainedRecord>(
    `select sequence, key_id, previous_tag, tag, record, action, actor, recorded_at, subject
     from audit_log where sequence > ? order by sequence limit ${BATCH}`,
  );
  const fault = (sequence: number, problem: string): ChainFault => ({ ok: false, sequence, problem });

  return async (from, { pause = () => nextTurn(), mustReach = NO_RECORD } = {}) => {
    const first = await readFirst.get();
    if (first !== undefined && first.sequence < 1) return fault(first.sequence, 'the record precedes the first');
    const promised = await readHead.get();
    if (promised === undefined) return fault(0, 'the head of the chain is missing');
    if (promised.sequence < from.sequence) return fault(promised.sequence + 1, 'the records from here on are missing');

    let last = from;
    for (;;) {
      const batch = await readBatch.all(last.sequence);
      for (const record of batch) {
        const problem = chain.problemOf(last, record);
        if (problem !== undefined) return fault(record.sequence, problem);
        if (record.sequence === mustReach.sequence && record.tag !== mustReach.tag)
          return fault(record.sequence, 'the record is not the one that stood here before');
        last = { sequence: record.sequence, tag: record.tag };
        if (isAnother(promised, last)) return fault(last.sequence, 'the head of the chain names another record');
      }
      if (batch.length < BATCH) break;
      await pause(last);
    }
    const expected = Math.max(promised.sequence, mustReach.sequence);
    if (last.sequence < expected) return fault(last.sequence + 1, 'the records from here on are missing');
    // Appends move the head in their own transaction: it is never behind what could be read before it.
    const head = await readHead.get();
    if (head === undefined || head.sequence < last.sequence)
      return fault(last.sequence, 'the head of the chain precedes its last record');
    if (isAnother(head, last)) return fault(last.sequence, 'the head of the chain names another record');
    return last;
  };
}

const isAnother = (head: ChainHead, record: ChainHead): boolean =>
  head.sequence === record.sequence && head.tag !== record.tag;

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import {
  type AuditAnchor,
  advance,
  type ChainPosition,
  isAnchoredAt,
  noRecord,
  readAnchors,
  snapshot,
} from './audit-anchor.ts';
import type { AuditChain, ChainedRecord, ChainHead } from './audit-chain.ts';

/** `sequence` is where the first problem stands. */
export type ChainFault = { ok: false; sequence: number; problem: string };

/** From this record to that one, both included. */
export type RecordRange = [from: number, to: number];

export type ChainVerdict =
  | {
      ok: true;
      records: number;
      /** Made with keys that are not at hand: a later anchor's digest covers them. All others verified by their key. */
      byDigest: readonly RecordRange[];
      /** The last record. */
      head: ChainHead;
    }
  | ChainFault;

/** Verified in some five milliseconds, after which others get their turn. */
const BATCH = 250;
const NOTHING: ChainHead = { sequence: 0, tag: '' };

/**
 * Walks the whole chain.
 * @param expected a record that was there once, as the log tells
 */
export async function verifyChain(database: Database, chain: AuditChain, expected?: ChainHead): Promise<ChainVerdict> {
  const byDigest: RecordRange[] = [];
  const end = await chainWalk(database, chain)(noRecord(), {
    mustReach: expected,
    onDigestAlone(sequence) {
      const last = byDigest.at(-1);
      if (last !== undefined && last[1] === sequence - 1) last[1] = sequence;
      else byDigest.push([sequence, sequence]);
    },
  });
  if ('problem' in end) return end;
  return { ok: true, records: end.sequence, byDigest, head: { sequence: end.sequence, tag: end.tag } };
}

/** Verifies what follows `from`, which was verified before, up to the chain's end. @returns that end, or the first fault */
export type ChainWalk = (from: ChainPosition, options?: WalkOptions) => Promise<ChainPosition | ChainFault>;

export interface WalkOptions {
  /** Called after each batch with the last record that was verified; the walk waits for it. */
  pause?: (verified: ChainPosition) => Promise<unknown>;
  /** Must turn up again under the same tag: a record that was there once. */
  mustReach?: ChainHead | undefined;
  /** Called with each record whose key is not at hand. */
  onDigestAlone?: (sequence: number) => void;
}

/** Walks in batches; records that are appended meanwhile are no problem. */
export function chainWalk(database: Database, chain: AuditChain): ChainWalk {
  const readHead = database.statement<ChainHead>('select sequence, tag from audit_head where id = 1');
  const readFirst = database.statement<ChainHead>('select sequence, tag from audit_log order by sequence limit 1');
  const readBatch = database.statement<ChainedRecord>(
    `select sequence, key_id, previous_tag, tag, record, action, actor, recorded_at, subject
     from audit_log where sequence > ? order by sequence limit ${BATCH}`,
  );
  const anchors = readAnchors(database, chain);
  const fault = (sequence: number, problem: string): ChainFault => ({ ok: false, sequence, problem });

  /** Why this record cannot stand after `last`; the position behind it when all is well. */
  function follow(last: ChainPosition, record: ChainedRecord, ahead: AuditAnchor[]): ChainPosition | string {
    const problem = chain.problemOf(last, record, ahead.length > 0);
    if (problem !== undefined) return problem;
    const position = advance(last, record);
    for (; ahead[0]?.upTo === position.sequence; ahead.shift())
      if (!isAnchoredAt(ahead[0], position))
        return `this record or one before it is not what the anchor at ${ahead[0].sequence} was made over`;
    return position;
  }

  return async (from, { pause = () => nextTurn(), mustReach = NOTHING, onDigestAlone = () => {} } = {}) => {
    const first = await readFirst.get();
    if (first !== undefined && first.sequence < 1) return fault(first.sequence, 'the record precedes the first');
    const promised = await readHead.get();
    if (promised === undefined) return fault(0, 'the head of the chain is missing');
    if (promised.sequence < from.sequence) return fault(promised.sequence + 1, 'the records from here on are missing');

    const ahead = (await anchors()).filter(({ upTo }) => upTo > from.sequence);
    let last = snapshot(from);
    for (;;) {
      const batch = await readBatch.all(last.sequence);
      for (const record of batch) {
        const followed = follow(last, record, ahead);
        if (typeof followed === 'string') return fault(record.sequence, followed);
        if (record.sequence === mustReach.sequence && record.tag !== mustReach.tag)
          return fault(record.sequence, 'the record is not the one that stood here before');
        if (!chain.knows(record)) onDigestAlone(record.sequence);
        last = followed;
        if (isAnother(promised, last)) return fault(last.sequence, 'the head of the chain names another record');
      }
      if (batch.length < BATCH) break;
      await pause(snapshot(last));
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

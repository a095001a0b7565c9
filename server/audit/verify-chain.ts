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

/** `sequence` is the record with the first problem. */
export type ChainFault = { ok: false; sequence: number; problem: string };

/** Inclusive at both ends. */
export type RecordRange = [from: number, to: number];

export type ChainVerdict =
  | {
      ok: true;
      records: number;
      /**
       * Records whose keys are unavailable, covered by the digest of a later anchor. All others were verified by their
       * key.
       */
      byDigest: readonly RecordRange[];
      /** The last record. */
      head: ChainHead;
    }
  | ChainFault;

/** Takes some five milliseconds, after which the event loop is free for others. */
const BATCH = 250;
const NOTHING: ChainHead = { sequence: 0, tag: '' };

/** Verifies the whole chain. @param expected a record known to have existed, as the log shows it */
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

/**
 * Verifies the records after `from`, which is already verified, up to the end of the chain.
 * @returns that end, or the first fault
 */
export type ChainWalk = (from: ChainPosition, options?: WalkOptions) => Promise<ChainPosition | ChainFault>;

export interface WalkOptions {
  /** Called after each batch with the last verified record; the walk waits for it. */
  pause?: (verified: ChainPosition) => Promise<unknown>;
  /** A record known to have existed; it must be found with the same tag. */
  mustReach?: ChainHead | undefined;
  /** Called for each record whose key is unavailable. */
  onDigestAlone?: (sequence: number) => void;
}

/** Walks in batches; records appended meanwhile are fine. */
export function chainWalk(database: Database, chain: AuditChain): ChainWalk {
  const readHead = database.statement<ChainHead>('select sequence, tag from audit_head where id = 1');
  const readFirst = database.statement<ChainHead>('select sequence, tag from audit_log order by sequence limit 1');
  const readBatch = database.statement<ChainedRecord>(
    `select sequence, key_id, previous_tag, tag, record, action, actor, recorded_at, subject
     from audit_log where sequence > ? order by sequence limit ${BATCH}`,
  );
  const anchors = readAnchors(database, chain);
  const fault = (sequence: number, problem: string): ChainFault => ({ ok: false, sequence, problem });

  /** The position after `record`, or why it cannot follow `last`. */
  function follow(last: ChainPosition, record: ChainedRecord, ahead: AuditAnchor[]): ChainPosition | string {
    const problem = chain.problemOf(last, record, ahead.length > 0);
    if (problem !== undefined) return problem;
    const position = advance(last, record);
    for (; ahead[0]?.upTo === position.sequence; ahead.shift())
      if (!isAnchoredAt(ahead[0], position))
        return `this record or an earlier one is not the one that the anchor at ${ahead[0].sequence} covers`;
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

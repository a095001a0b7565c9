import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from '../db/database.ts';
import {
  type AuditAnchor,
  advance,
  beginning,
  type ChainPosition,
  isAnchoredAt,
  noRecord,
  readAnchors,
  snapshot,
} from './anchors.ts';
import { type AuditChain, type ChainedRecord, type ChainHead, readStart, WHOLE } from './chain.ts';

/** `sequence` is that of the first record with a problem. */
export type ChainFault = { ok: false; sequence: number; problem: string };

/** Inclusive at both ends. */
type RecordRange = [from: number, to: number];

/** A batch takes about five milliseconds, after which other work can run. */
const BATCH = 250;

/** Verifies the whole chain. @param expected a record known to have existed, as the log shows it */
export async function verifyChain(database: Database, chain: AuditChain, expected?: ChainHead) {
  let start = WHOLE;
  let byDigest: RecordRange[] = [];
  const end = await chainWalk(database, chain)(noRecord(), {
    mustReach: expected,
    onBegin(place) {
      start = place;
      byDigest = [];
    },
    onRecord(record) {
      if (chain.knows(record)) return;
      const { sequence } = record;
      const last = byDigest.at(-1);
      if (last !== undefined && last[1] === sequence - 1) last[1] = sequence;
      else byDigest.push([sequence, sequence]);
    },
  });
  if ('problem' in end) return end;
  const stored = database.statement('select sequence from audit_log where sequence <= ? limit 1');
  return {
    ok: true as const,
    records: end.sequence - start.sequence,
    /** Records whose keys are unavailable, covered by the digest of a later anchor; all others were verified by theirs. */
    byDigest: byDigest as readonly RecordRange[],
    /** The last record that was pruned; sequence 0 if there is none. */
    start,
    /** Whether pruned records are still stored, because the prune was interrupted or is still running. */
    leftOver: (await stored.get(start.sequence)) !== undefined,
    /** The last record. */
    head: { sequence: end.sequence, tag: end.tag },
  };
}

type ChainVerdict = Awaited<ReturnType<typeof verifyChain>>;

/**
 * Verifies the records after `from`, which is already verified, up to the end of the chain. If the trail was pruned
 * after `from` was verified, or is pruned during the walk, it starts over where the trail begins now.
 * @returns the end of the chain, or the first fault
 */
export type ChainWalk = (from: ChainPosition, options?: WalkOptions) => Promise<ChainPosition | ChainFault>;

export interface WalkOptions {
  /** Called after each batch with the last verified record; the walk waits for it. */
  pause?: (verified: ChainPosition) => Promise<unknown>;
  /** A record known to have existed; it must be found with the same tag, unless it was pruned. */
  mustReach?: ChainHead | undefined;
  /** Called whenever the walk begins at the start of the trail, possibly more than once. */
  onBegin?: (start: ChainHead) => void;
  /** Called for each record, in order, once it is verified. */
  onRecord?: (record: ChainedRecord) => void;
}

/** Walks in batches; records may be appended in the meantime. */
export function chainWalk(database: Database, chain: AuditChain): ChainWalk {
  const start = readStart(database);
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

  /** Walks once over a trail that begins at `start`. */
  async function walkFrom(
    start: ChainHead,
    from: ChainPosition,
    { pause = () => nextTurn(), mustReach = WHOLE, onBegin = () => {}, onRecord = () => {} }: WalkOptions,
  ): Promise<ChainPosition | ChainFault> {
    let last = from.start === start.sequence ? snapshot(from) : beginning(start);
    if (last.sequence === start.sequence) onBegin(start);
    const first = await readFirst.get();
    if (first !== undefined && first.sequence < 1) return fault(first.sequence, 'the record precedes the first');
    const promised = await readHead.get();
    if (promised === undefined) return fault(0, 'the head of the chain is missing');
    if (promised.sequence < last.sequence) return fault(promised.sequence + 1, 'the records from here on are missing');
    if (isAnother(mustReach, start)) return fault(start.sequence, 'the record is not the one that was here before');

    const ahead = (await anchors(start)).filter(({ upTo }) => upTo > last.sequence);
    for (;;) {
      const batch = await readBatch.all(last.sequence);
      for (const record of batch) {
        const followed = follow(last, record, ahead);
        if (typeof followed === 'string') return fault(record.sequence, followed);
        if (isAnother(mustReach, record))
          return fault(record.sequence, 'the record is not the one that was here before');
        onRecord(record);
        last = followed;
        if (isAnother(promised, last)) return fault(last.sequence, 'the head of the chain names another record');
      }
      if (batch.length < BATCH) break;
      await pause(snapshot(last));
    }
    const expected = Math.max(promised.sequence, mustReach.sequence);
    if (last.sequence < expected) return fault(last.sequence + 1, 'the records from here on are missing');
    const { pruned } = last;
    if (pruned.sequence !== start.sequence || pruned.tag !== start.tag)
      return fault(start.sequence + 1, 'the trail does not begin where its last prune ended');
    // An append moves the head in the same transaction, so the head is never behind records that were read before it.
    const head = await readHead.get();
    if (head === undefined || head.sequence < last.sequence)
      return fault(last.sequence, 'the head of the chain precedes its last record');
    if (isAnother(head, last)) return fault(last.sequence, 'the head of the chain names another record');
    return last;
  }

  return async (from, options = {}) => {
    for (;;) {
      const begin = await start();
      const end = await walkFrom(begin, from, options);
      // A prune may remove records that are yet to be read; it moves the start before it does.
      if (!('problem' in end) || (await start()).sequence === begin.sequence) return end;
    }
  };
}

const isAnother = (place: ChainHead, record: ChainHead): boolean =>
  place.sequence === record.sequence && place.tag !== record.tag;

/** Parses `SEQUENCE:TAG`, as the log and earlier verdicts print it; undefined for anything else. */
export function parseRecordId(text: string): ChainHead | undefined {
  const [, sequence, tag] = /^([1-9]\d{0,14}):([\w-]{43})$/.exec(text) ?? [];
  return sequence === undefined || tag === undefined ? undefined : { sequence: Number(sequence), tag };
}

/** The inverse of `parseRecordId`. */
export const formatRecordId = ({ sequence, tag }: ChainHead): string => `${sequence}:${tag}`;

/** Whether the trail is intact and contains the expected record, or that record was the last one pruned. */
export const isAsExpected = (verdict: ChainVerdict, expected?: ChainHead): boolean =>
  verdict.ok && (expected === undefined || expected.sequence >= verdict.start.sequence);

/** The output of `audit:verify`. For an intact trail it includes the last record, to be passed to a later run. */
export function formatVerdict(verdict: ChainVerdict, expected?: ChainHead): string {
  if (!verdict.ok) return `The audit trail is broken at record ${verdict.sequence}: ${verdict.problem}\n`;
  const { records, byDigest, start, leftOver, head } = verdict;
  const lines = [`The audit trail is intact: ${records} records.`];
  if (byDigest.length > 0)
    lines.push(
      `Verified by the digest of a later anchor: ${byDigest.map(formatRange).join(', ')}. Verified by their key: all others.`,
    );
  if (start.sequence > 0) lines.push(`Pruned: all records up to ${formatRecordId(start)}`);
  if (leftOver) lines.push('Some of these are still stored: repeat audit:prune to remove them.');
  if (records > 0) lines.push(`Its last record is ${formatRecordId(head)}`);
  if (expected !== undefined && !isAsExpected(verdict, expected))
    lines.push(`Record ${expected.sequence} was pruned, so it cannot be checked: look for it in an export.`);
  return `${lines.join('\n')}\n`;
}

const formatRange = ([from, to]: RecordRange): string => (from === to ? `${from}` : `${from} to ${to}`);

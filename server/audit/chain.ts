import { createHash } from 'node:crypto';
import type { Knex } from 'knex';
import { attempt } from '../../shared/json.ts';
import { createSigner, type SigningKeys } from '../crypto/signer.ts';
import type { Database } from '../db/database.ts';
import { type AuditEvent, subjectOf, type WithTimestamp } from './event.ts';

/** The last link, on which the next record builds. An empty chain has sequence 0 and no tag. */
export interface ChainHead {
  sequence: number;
  tag: string;
}

/** A stored record. `record` is the event's JSON, byte for byte as it was tagged. */
export interface ChainedRecord extends ChainHead {
  key_id: string;
  previous_tag: string;
  record: string;
  action: string;
  actor: string;
  recorded_at: string;
  /** Empty if the record has no subject. */
  subject: string;
}

/** What a tag covers, and the tag itself. */
export type TaggedRecord = Pick<ChainedRecord, 'sequence' | 'key_id' | 'previous_tag' | 'tag' | 'record'>;

const ACTOR_BYTES = 255;

/**
 * Binds each record to its predecessor by an HMAC over the sequence, the predecessor's tag and the record. Without the
 * key nobody can change, drop, insert or reorder records unnoticed.
 * @param keys the previous key still verifies the records it signed
 */
export function auditChain(keys: SigningKeys) {
  const withId = (key: Uint8Array) => ({
    id: createHash('sha256').update('audit key id').update(key).digest('base64url').slice(0, 8),
    signer: createSigner({ current: key }),
  });
  const current = withId(keys.current);
  const ring = [current, ...(keys.previous === undefined ? [] : [withId(keys.previous)])];
  const signers = new Map(ring.map(({ id, signer }) => [id, signer]));
  const isGenuine = ({ sequence, key_id, previous_tag, tag, record }: TaggedRecord): boolean =>
    signers.get(key_id)?.verify(tagged(sequence, previous_tag, record), tag) ?? false;

  return {
    /** As stored in the records. They are derived one way, so an id reveals nothing about its key. */
    keyIds: { current: current.id, previous: ring[1]?.id },
    /** The record that chains an event to `head`. */
    link(head: ChainHead, event: WithTimestamp<AuditEvent>) {
      const sequence = head.sequence + 1;
      const record = JSON.stringify(event);
      const tag = current.signer.sign(tagged(sequence, head.tag, record));
      return { sequence, key_id: current.id, previous_tag: head.tag, tag, record, ...columnsOf(event) };
    },
    /** Whether the key that signed the record is available. */
    knows: ({ key_id }: Pick<ChainedRecord, 'key_id'>) => signers.has(key_id),
    /** Whether an available key signed the record with this sequence and predecessor. */
    isGenuine,
    /**
     * What is wrong with a record that should follow `head`; undefined if nothing is.
     * @param vouchedFor whether a later record vouches for this one, so that its key may be unavailable
     */
    problemOf(head: ChainHead, record: ChainedRecord, vouchedFor = false) {
      if (record.sequence !== head.sequence + 1) return 'a record is missing before this one';
      if (record.previous_tag !== head.tag) return 'the record does not follow its predecessor';
      const hasKey = signers.has(record.key_id);
      if (!hasKey && !vouchedFor) return 'the record was made with a key that is not available';
      if (hasKey && !isGenuine(record)) return 'the record was changed';
      const columns = columnsIn(record.record);
      if (
        columns === undefined ||
        columns.action !== record.action ||
        columns.actor !== record.actor ||
        columns.recorded_at !== record.recorded_at ||
        columns.subject !== record.subject
      )
        return 'the columns differ from the record';
      return undefined;
    },
  };
}

export type AuditChain = ReturnType<typeof auditChain>;

/** JSON contains no raw line breaks, so the parts cannot run together. */
const tagged = (sequence: number, previousTag: string, record: string): string =>
  `${sequence}\n${previousTag}\n${record}`;

function columnsOf(
  event: WithTimestamp<AuditEvent>,
): Pick<ChainedRecord, 'action' | 'actor' | 'recorded_at' | 'subject'> {
  const actor = event.action === 'identity_search' ? event.adminId : event.actor;
  return {
    action: event.action,
    actor: cutToBytes(actor, ACTOR_BYTES),
    recorded_at: event.timestamp.slice(0, 24),
    subject: subjectOf(event) ?? '',
  };
}

/** Undefined if it is not a record: without its key, it may contain anything. */
const columnsIn = (record: string) => attempt(() => columnsOf(JSON.parse(record) as WithTimestamp<AuditEvent>));

/** Cuts at a character boundary: both databases accept well-formed UTF-8 only. */
function cutToBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read).replace(/\p{Surrogate}/gu, '\uFFFD');
}

/** The start of a trail from which nothing was pruned. */
export const WHOLE: ChainHead = { sequence: 0, tag: '' };

/** The row of `audit_head` with the start, once records were pruned. */
const ROW = 2;

/**
 * The sequence of the last pruned record, in SQL: only records after it are part of the trail. Any other row is one
 * that a prune has not deleted yet, or that somebody has inserted.
 */
export const LAST_PRUNED = `coalesce((select sequence from audit_head where id = ${ROW}), 0)`;

/**
 * Reads the record after which the trail begins. Anyone who can write to the database can move it, so it counts only
 * once a walk has found the record of the prune that ended there.
 */
export function readStart(database: Database): () => Promise<ChainHead> {
  const start = database.statement<ChainHead>(`select sequence, tag from audit_head where id = ${ROW}`);
  return async () => (await start.get()) ?? WHOLE;
}

/** The same within a transaction that has locked the chain. */
export const startIn = async (trx: Knex.Transaction): Promise<ChainHead> =>
  (await trx('audit_head').where({ id: ROW }).first('sequence', 'tag')) ?? WHOLE;

/** Call it in the transaction that records the prune: after that, no reader shows the records up to this one. */
export async function moveStart(trx: Knex.Transaction, { sequence, tag }: ChainHead): Promise<void> {
  await trx('audit_head').where({ id: ROW }).delete();
  await trx('audit_head').insert({ id: ROW, sequence, tag });
}

/** Looks up a record that an export or a verdict names. The last pruned one can still be found, by its tag. */
export function recordLookup(database: Database): (record: ChainHead) => Promise<'found' | 'pruned' | 'missing'> {
  const start = readStart(database);
  const tagAt = database.statement<{ tag: string }>('select tag from audit_log where sequence = ?');
  return async ({ sequence, tag }) => {
    const from = await start();
    if (sequence < from.sequence) return 'pruned';
    const found = sequence === from.sequence ? from : await tagAt.get(sequence);
    return found?.tag === tag ? 'found' : 'missing';
  };
}

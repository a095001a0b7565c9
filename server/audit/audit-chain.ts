import { createHash } from 'node:crypto';
import { createSigner, type SigningKeys } from '../crypto/signer.ts';
import type { AuditEvent, Timed } from './audit-event.ts';
import { subjectOf } from './audit-subject.ts';

/** The last link: what the next record builds upon. An empty chain has sequence 0 and no tag. */
export interface ChainHead {
  sequence: number;
  tag: string;
}

/** A record as it stands in the database. `record` is the event's JSON, byte for byte as it was tagged. */
export interface ChainedRecord extends ChainHead {
  key_id: string;
  previous_tag: string;
  record: string;
  action: string;
  actor: string;
  recorded_at: string;
  /** Empty for none; null in records from before there was this column, until it is filled. */
  subject: string | null;
}

export interface AuditChain {
  /** As they stand in records; an id says nothing about its key. */
  keyIds: { current: string; previous: string | undefined };
  /** The event as the link after `head`. */
  link(head: ChainHead, event: Timed<AuditEvent>): ChainedRecord;
  /** What is wrong with a record that is said to follow `head`; undefined when all is well. */
  problemOf(head: ChainHead, record: ChainedRecord): string | undefined;
}

const ACTOR_BYTES = 255;

/**
 * Binds each record to its predecessor: sequence, the predecessor's tag and an HMAC over both and the record. Whoever
 * lacks the key cannot change, drop, insert or reorder records unnoticed.
 * @param keys the previous one still verifies the records that were made with it
 */
export function auditChain(keys: SigningKeys): AuditChain {
  const withId = (key: Uint8Array) => ({
    id: createHash('sha256').update('audit key id').update(key).digest('base64url').slice(0, 8),
    signer: createSigner({ current: key }),
  });
  const current = withId(keys.current);
  const known = [current, ...(keys.previous === undefined ? [] : [withId(keys.previous)])];
  const signers = new Map(known.map(({ id, signer }) => [id, signer]));

  return {
    keyIds: { current: current.id, previous: known[1]?.id },
    link(head, event) {
      const sequence = head.sequence + 1;
      const record = JSON.stringify(event);
      const tag = current.signer.sign(tagged(sequence, head.tag, record));
      return { sequence, key_id: current.id, previous_tag: head.tag, tag, record, ...columnsOf(event) };
    },
    problemOf(head, record) {
      if (record.sequence !== head.sequence + 1) return 'a record is missing before this one';
      if (record.previous_tag !== head.tag) return 'the record does not follow its predecessor';
      const signer = signers.get(record.key_id);
      if (signer === undefined) return 'the record was made with a key that is not available';
      if (!signer.verify(tagged(record.sequence, record.previous_tag, record.record), record.tag))
        return 'the record was changed';
      const columns = columnsOf(JSON.parse(record.record) as Timed<AuditEvent>);
      if (
        columns.action !== record.action ||
        columns.actor !== record.actor ||
        columns.recorded_at !== record.recorded_at ||
        (record.subject !== null && columns.subject !== record.subject)
      )
        return 'the columns differ from the record';
      return undefined;
    },
  };
}

/** JSON holds no raw line break, so the parts cannot run into one another. */
const tagged = (sequence: number, previousTag: string, record: string): string =>
  `${sequence}\n${previousTag}\n${record}`;

function columnsOf(event: Timed<AuditEvent>): Pick<ChainedRecord, 'action' | 'actor' | 'recorded_at' | 'subject'> {
  const actor = event.action === 'identity_search' ? event.adminId : event.actor;
  return {
    action: event.action,
    actor: cutToBytes(actor, ACTOR_BYTES),
    recorded_at: event.timestamp.slice(0, 24),
    subject: subjectOf(event) ?? '',
  };
}

/** At a character's border, since both databases take well-formed UTF-8 only. */
function cutToBytes(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes));
  return text.slice(0, read).replace(/\p{Surrogate}/gu, '\uFFFD');
}

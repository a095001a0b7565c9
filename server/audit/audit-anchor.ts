import { createHash, type Hash } from 'node:crypto';
import type { Database } from '../db/database.ts';
import type { AuditChain, ChainHead, TaggedRecord } from './audit-chain.ts';
import type { ActEvent } from './audit-event.ts';

/** A place in the chain, with what is needed to vouch for everything up to it. */
export interface ChainPosition extends ChainHead {
  /** SHA-256 over the records so far, still open: copied, never finished. */
  digest: Hash;
}

/** What an `audit_anchor` says: up to this record, which had this tag, the trail had this digest. */
export interface AuditAnchor {
  /** Where the anchor itself stands. */
  sequence: number;
  upTo: number;
  tag: string;
  digest: string;
}

/** Before the first record. */
export const noRecord = (): ChainPosition => ({ sequence: 0, tag: '', digest: createHash('sha256') });

/** The position after `record`; `digest` grows with it. JSON holds no raw line break, so the parts stay apart. */
export function advance({ digest }: ChainPosition, record: TaggedRecord): ChainPosition {
  const { sequence, key_id, previous_tag, tag } = record;
  digest.update(`${sequence}\n${key_id}\n${previous_tag}\n${tag}\n${record.record}\n`);
  return { sequence, tag, digest };
}

/** As it is now, however the walk goes on. */
export const snapshot = (position: ChainPosition): ChainPosition => ({ ...position, digest: position.digest.copy() });

const digestAt = ({ digest }: ChainPosition): string => digest.copy().digest('base64url');

/** The anchor of everything up to a position, as it is recorded. */
export const anchorEvent = (position: ChainPosition): ActEvent => ({
  action: 'audit_anchor',
  actor: 'service',
  target: null,
  details: { up_to: position.sequence, tag: position.tag, digest: digestAt(position) },
});

/** Whether the records up to `position`, where the anchor looks back to, are those that it was made over. */
export const isAnchoredAt = (anchor: AuditAnchor, position: ChainPosition): boolean =>
  anchor.tag === position.tag && anchor.digest === digestAt(position);

/** Reads the anchors that a key at hand has made, in the order of the records they look back to. */
export function readAnchors(database: Database, chain: Pick<AuditChain, 'isGenuine'>): () => Promise<AuditAnchor[]> {
  const anchors = database.statement<TaggedRecord>(
    `select sequence, key_id, previous_tag, tag, record from audit_log where action = 'audit_anchor'`,
  );
  return async () =>
    (await anchors.all())
      .filter(chain.isGenuine)
      .flatMap(anchorIn)
      .sort((a, b) => a.upTo - b.upTo);
}

/** Of a genuine record. */
function anchorIn({ sequence, record }: TaggedRecord): AuditAnchor[] {
  const { action, details = {} } = JSON.parse(record) as ActEvent;
  const { up_to: upTo, tag, digest } = details;
  const isAnchor =
    action === 'audit_anchor' && typeof upTo === 'number' && typeof tag === 'string' && typeof digest === 'string';
  return isAnchor && upTo < sequence ? [{ sequence, upTo, tag, digest }] : [];
}

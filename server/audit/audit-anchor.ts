import { createHash, type Hash } from 'node:crypto';
import type { Database } from '../db/database.ts';
import type { AuditChain, ChainHead, TaggedRecord } from './audit-chain.ts';
import type { ActEvent } from './audit-event.ts';

/** A position in the chain, with the digest of every record up to it. */
export interface ChainPosition extends ChainHead {
  /** SHA-256 over the records so far. Never finalized; copy it to read the digest. */
  digest: Hash;
}

/** What an `audit_anchor` record states: up to this sequence, ending with this tag, the trail had this digest. */
export interface AuditAnchor {
  /** The sequence of the anchor record itself. */
  sequence: number;
  upTo: number;
  tag: string;
  digest: string;
}

/** The position before the first record. */
export const noRecord = (): ChainPosition => ({ sequence: 0, tag: '', digest: createHash('sha256') });

/**
 * The position after `record`; updates `digest` in place. JSON holds no raw line break, so the parts cannot run
 * together.
 */
export function advance({ digest }: ChainPosition, record: TaggedRecord): ChainPosition {
  const { sequence, key_id, previous_tag, tag } = record;
  digest.update(`${sequence}\n${key_id}\n${previous_tag}\n${tag}\n${record.record}\n`);
  return { sequence, tag, digest };
}

/** A copy of the position that later calls of `advance` do not change. */
export const snapshot = (position: ChainPosition): ChainPosition => ({ ...position, digest: position.digest.copy() });

const digestAt = ({ digest }: ChainPosition): string => digest.copy().digest('base64url');

/** The audit event that records an anchor for everything up to `position`. */
export const anchorEvent = (position: ChainPosition): ActEvent => ({
  action: 'audit_anchor',
  actor: 'service',
  target: null,
  details: { up_to: position.sequence, tag: position.tag, digest: digestAt(position) },
});

/** Whether the records up to `position` are the ones this anchor was made over. */
export const isAnchoredAt = (anchor: AuditAnchor, position: ChainPosition): boolean =>
  anchor.tag === position.tag && anchor.digest === digestAt(position);

/** Reads the anchors made with an available key, ordered by the record they cover up to. */
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

function anchorIn({ sequence, record }: TaggedRecord): AuditAnchor[] {
  const { action, details = {} } = JSON.parse(record) as ActEvent;
  const { up_to: upTo, tag, digest } = details;
  const isAnchor =
    action === 'audit_anchor' && typeof upTo === 'number' && typeof tag === 'string' && typeof digest === 'string';
  return isAnchor && upTo < sequence ? [{ sequence, upTo, tag, digest }] : [];
}

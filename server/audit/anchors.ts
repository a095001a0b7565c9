import { createHash, type Hash } from 'node:crypto';
import type { Database } from '../db/database.ts';
import {
  type AuditChain,
  type ChainedRecord,
  type ChainHead,
  LAST_PRUNED,
  readStart,
  type TaggedRecord,
  WHOLE,
} from './chain.ts';
import type { ActEvent } from './event.ts';

/** A position in the chain, with the digest of every record from the trail's start up to it. */
export interface ChainPosition extends ChainHead {
  /** The sequence after which the digest begins. */
  start: number;
  /** SHA-256 over the records so far. Never finalized; copy it to read the digest. */
  digest: Hash;
  /** The last pruned record, according to the latest of these records that states one. */
  pruned: ChainHead;
}

/**
 * What an `audit_anchor` record states: the digest of the records after `after` up to `upTo`, the last of which has
 * this tag. An `audit_prune` record states the same of the records that it leaves.
 */
export interface AuditAnchor {
  /** The sequence of the anchor record itself. */
  sequence: number;
  /** An anchor that begins elsewhere than the trail can no longer be checked; the prune has replaced it. */
  after: number;
  upTo: number;
  tag: string;
  digest: string;
}

/** The position before the first record after `start`. */
export const beginning = ({ sequence, tag }: ChainHead): ChainPosition => ({
  sequence,
  tag,
  start: sequence,
  digest: createHash('sha256'),
  pruned: WHOLE,
});

/** The position before the very first record. */
export const noRecord = (): ChainPosition => beginning(WHOLE);

/** The position after `record`; updates `digest`. JSON has no raw line breaks, so the parts cannot run together. */
export function advance({ start, digest, pruned }: ChainPosition, record: ChainedRecord): ChainPosition {
  const { sequence, key_id, previous_tag, tag } = record;
  digest.update(`${sequence}\n${key_id}\n${previous_tag}\n${tag}\n${record.record}\n`);
  return { sequence, tag, start, digest, pruned: record.action === 'audit_prune' ? prunedBy(record) : pruned };
}

/** A copy of the position that later calls of `advance` do not change. */
export const snapshot = (position: ChainPosition): ChainPosition => ({ ...position, digest: position.digest.copy() });

const digestAt = ({ digest }: ChainPosition): string => digest.copy().digest('base64url');

/** The audit event that records an anchor for everything up to `position`. */
export const anchorEvent = (position: ChainPosition): ActEvent => ({
  action: 'audit_anchor',
  actor: 'service',
  target: null,
  // Left out if nothing was ever pruned.
  details: { ...(position.start > 0 ? { after: position.start } : {}), ...anchoring(position) },
});

/**
 * The audit event that records a prune, and anchors the remaining records.
 * @param what.start the last record that is removed
 * @param what.kept the position of the chain's head, with the digest of every record after `start`
 * @param what.keySince when the current key was first used, if only the removed records show it
 */
export const pruneEvent = (what: {
  before: string;
  removed: number;
  start: ChainHead;
  kept: ChainPosition;
  keySince: string | undefined;
}): ActEvent => ({
  action: 'audit_prune',
  actor: 'command-line',
  target: null,
  details: {
    before: what.before,
    removed: what.removed,
    after: what.start.sequence,
    after_tag: what.start.tag,
    ...anchoring(what.kept),
    ...(what.keySince === undefined ? {} : { key_since: what.keySince }),
  },
});

const anchoring = (position: ChainPosition) => ({
  up_to: position.sequence,
  tag: position.tag,
  digest: digestAt(position),
});

/** Whether the records up to `position` are those that the anchor covers. */
export const isAnchoredAt = (anchor: AuditAnchor, position: ChainPosition): boolean =>
  anchor.tag === position.tag && anchor.digest === digestAt(position);

/** Anchors made with an available key that begin where the trail begins, sorted by the last record they cover. */
export function readAnchors(
  database: Database,
  chain: Pick<AuditChain, 'isGenuine'>,
): (start: ChainHead) => Promise<AuditAnchor[]> {
  const anchors = database.statement<TaggedRecord>(
    `select sequence, key_id, previous_tag, tag, record from audit_log where action in ('audit_anchor', 'audit_prune')`,
  );
  return async (start) =>
    (await anchors.all())
      .filter(chain.isGenuine)
      .flatMap(anchorIn)
      .filter(({ after }) => after === start.sequence)
      .sort((a, b) => a.upTo - b.upTo);
}

function anchorIn({ sequence, record }: TaggedRecord): AuditAnchor[] {
  const { action, details = {} } = JSON.parse(record) as ActEvent;
  const { after = 0, up_to: upTo, tag, digest } = details;
  const isAnchor =
    (action === 'audit_anchor' || action === 'audit_prune') &&
    typeof after === 'number' &&
    typeof upTo === 'number' &&
    typeof tag === 'string' &&
    typeof digest === 'string';
  return isAnchor && upTo < sequence ? [{ sequence, after, upTo, tag, digest }] : [];
}

function prunedBy({ record }: ChainedRecord): ChainHead {
  const { after, after_tag: tag } = (JSON.parse(record) as ActEvent).details ?? {};
  return typeof after === 'number' && typeof tag === 'string' ? { sequence: after, tag } : WHOLE;
}

/** Finds records by the id of the key that signed them; undefined if there are none. Times are ISO 8601. */
export function auditKeyUse(database: Database, chain: Pick<AuditChain, 'keyIds' | 'isGenuine'>) {
  const place = (order: 'asc' | 'desc') => {
    const statement = database.statement<{ sequence: number; at: string }>(
      `select sequence, recorded_at as at from audit_log where key_id = ? and sequence > ${LAST_PRUNED}
       order by sequence ${order} limit 1`,
    );
    return (keyId: string) => statement.get(keyId);
  };
  const firstKept = place('asc');
  const prunes = database.statement<TaggedRecord>(
    `select sequence, key_id, previous_tag, tag, record from audit_log where action = 'audit_prune' and key_id = ?`,
  );
  const start = readStart(database);
  const anchors = readAnchors(database, {
    isGenuine: (record) => record.key_id === chain.keyIds.current && chain.isGenuine(record),
  });
  return {
    /** The key's first record, with the time of its very first one if that was pruned under the same key. */
    async first(keyId: string) {
      const [kept, pruned] = await Promise.all([firstKept(keyId), prunes.all(keyId)]);
      const since = pruned.filter(chain.isGenuine).flatMap(keySince);
      return kept && { ...kept, at: [kept.at, ...since].sort()[0] as string };
    },
    last: place('desc'),
    /** The last record that an anchor of the current key covers; 0 without an anchor. */
    anchoredTo: async () => (await anchors(await start())).at(-1)?.upTo ?? 0,
  };
}

function keySince({ record }: TaggedRecord): string[] {
  const since = (JSON.parse(record) as ActEvent).details?.['key_since'];
  return typeof since === 'string' ? [since] : [];
}

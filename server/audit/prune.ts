import { type Database, deleteOldRows } from '../db/database.ts';
import { DatabaseUnavailable } from '../db/errors.ts';
import { advance, auditKeyUse, beginning, type ChainPosition, noRecord, pruneEvent } from './anchors.ts';
import { type AuditChain, type ChainHead, moveStart, recordLookup, startIn, WHOLE } from './chain.ts';
import type { AuditTrail } from './trail.ts';
import { chainWalk, formatRecordId, type WalkOptions } from './verify.ts';

const DAY_MS = 86_400_000;
/** Records younger than this are not pruned. */
export const KEPT_DAYS = 90;

export interface PruneRequest {
  /** ISO 8601, UTC, with milliseconds. The first record of this time or later is kept, and all that follow it. */
  before: string;
  /** The last record of an export: nothing after it is removed. */
  exported: ChainHead;
}

/**
 * Removes the oldest records. One transaction records the prune, with an anchor over all remaining records, and moves
 * the start of the trail, after which nobody reads the removed ones. Their rows are then deleted in batches. If that is
 * interrupted, the trail is intact, and the next prune deletes the rest.
 * @returns how many records were removed, how many rows were deleted (more if an earlier prune was interrupted), and the
 * last record that was ever pruned (sequence 0 if there is none)
 * @throws with the reason if the request is refused; nothing has changed then
 */
export async function pruneTrail(options: {
  database: Database;
  chain: AuditChain;
  audit: Pick<AuditTrail, 'lock' | 'record'>;
  now: () => number;
  request: PruneRequest;
  pause: (deleted: number) => Promise<unknown>;
}) {
  const { database, chain, audit, now, request, pause } = options;
  if (Date.parse(request.before) > now() - KEPT_DAYS * DAY_MS)
    throw new Error(`Records of the last ${KEPT_DAYS} days are kept: choose an earlier date.`);
  const found = await recordLookup(database)(request.exported);
  if (found === 'missing') throw new Error(`The trail has no record ${formatRecordId(request.exported)}`);
  if (found === 'pruned')
    throw new Error(`Record ${request.exported.sequence} was pruned already: name the last record of a later export.`);

  const keyUse = auditKeyUse(database, chain);
  const walk = chainWalk(database, chain);
  const split = splitting(request);
  const verified = async (from: ChainPosition): Promise<ChainPosition> => {
    const end = await walk(from, split.options);
    if ('problem' in end)
      throw new Error(`The audit trail is broken at record ${end.sequence}, so it is not pruned: ${end.problem}`);
    return end;
  };

  let end = await verified(noRecord());
  let removed = split.removed().sequence - end.start;
  if (removed > 0)
    await database.transaction(async (trx) => {
      const next = await audit.lock(trx);
      if ((await startIn(trx)).sequence !== end.start)
        throw new Error('Another command pruned the trail at the same time. Run this one again.');
      // Verifies what was appended since. If the transaction runs again, it continues from there.
      end = await verified(end);
      if (end.sequence !== next - 1) throw new DatabaseUnavailable('the end of the audit trail could not be read');
      const start = split.removed();
      removed = start.sequence - end.start;
      const keySince = (await keyUse.first(chain.keyIds.current))?.at;
      const { before } = request;
      await audit.record(pruneEvent({ before, removed, start, kept: split.kept(), keySince }), trx);
      await moveStart(trx, start);
    });

  const start = split.removed();
  const rows = { table: 'audit_log', column: 'sequence', below: start.sequence + 1 };
  return { removed, deleted: await deleteOldRows(database, rows, pause), start };
}

/** Splits the records of a walk into those to remove and those to keep, and computes the digest of the latter. */
function splitting({ before, exported }: PruneRequest) {
  let last = WHOLE;
  let removed: ChainHead | undefined;
  let kept = noRecord();

  const options: WalkOptions = {
    mustReach: exported,
    onBegin(start) {
      last = start;
      removed = undefined;
    },
    onRecord(record) {
      const { sequence, tag } = record;
      if (removed !== undefined || record.recorded_at >= before || sequence > exported.sequence) {
        if (removed === undefined) kept = beginning(last);
        removed ??= last;
        kept = advance(kept, record);
      }
      last = { sequence, tag };
    },
  };
  return {
    options,
    removed: () => removed ?? last,
    kept: () => (removed === undefined ? beginning(last) : kept),
  };
}

export type TrailPrune = Awaited<ReturnType<typeof pruneTrail>>;

/** What `audit:prune` prints. */
export function formatPrune({ removed, deleted, start }: TrailPrune): string {
  if (deleted === 0) return 'Nothing to prune: the trail does not begin with exported records from before that date.\n';
  const left = deleted > removed ? ` Left by an interrupted prune and removed now: ${deleted - removed}.` : '';
  return `Pruned records: ${removed}.${left} The last one pruned is ${formatRecordId(start)}\n`;
}

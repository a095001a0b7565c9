import { type AuditChain, auditChain, type ChainHead } from '../../server/audit/chain.ts';
import { keyAnchoring } from '../../server/audit/chain-watch.ts';
import { pruneTrail, type TrailPrune } from '../../server/audit/prune.ts';
import type { AuditTrail } from '../../server/audit/trail.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { appendAll, auditOn, SIGNING_KEY, START } from './audit-trail.ts';

const MINUTE = 60_000;
export const DAY = 86_400_000;
/** The time of `audit:prune`: long after the records were made. */
export const LATER = START + 400 * DAY;

export const seconds = (after: number): string => new Date(START + after * 1_000).toISOString();

/** A process that writes a trail with keys of its own. */
export interface TrailUser {
  chain: AuditChain;
  audit: AuditTrail;
  anchoring: ReturnType<typeof keyAnchoring>;
  errors: unknown[];
  /** Appends records, one each second, the first `from` seconds after `START`. */
  sign(records: number, from?: number): Promise<void>;
  /** Checks whether an anchor is due, now and after this time, in which no record is signed with the previous key. */
  anchor(milliseconds?: number): Promise<void>;
  /** @param options.before by default 100 days before `LATER`, which is later than all records */
  prune(exported: ChainHead, options?: { before?: string; pause?: () => Promise<unknown> }): Promise<TrailPrune>;
}

export function trailUser(
  database: Database,
  keys: { current: string; previous?: string } = { current: SIGNING_KEY },
): TrailUser {
  // Records of anchors must be old enough to be pruned, too.
  const { audit } = auditOn(database, keys, () => START + DAY);
  const chain = auditChain(derivedKeys(keys, 'audit'));
  const errors: unknown[] = [];
  let elapsed = 0;
  const log = { info: () => {}, warn: () => {}, error: (fields: unknown) => void errors.push(fields) };
  const anchoring = keyAnchoring({ database, chain, audit, log, elapsed: () => elapsed });
  return {
    chain,
    audit,
    anchoring,
    errors,
    sign: (records, from = 0) =>
      appendAll(
        database,
        Array.from({ length: records }, (_, index) => ({
          ...({ action: 'proxy_write', actor: 'ada', target: `/x/${from + index}` } as const),
          timestamp: seconds(from + index),
        })),
        { audit },
      ),
    async anchor(milliseconds = MINUTE) {
      await anchoring.look();
      elapsed += milliseconds;
      await anchoring.look();
    },
    prune: (exported, { before = new Date(LATER - 100 * DAY).toISOString(), pause = async () => {} } = {}) =>
      pruneTrail({ database, chain, audit, now: () => LATER, request: { before, exported }, pause }),
  };
}

/** Sequence and tag of a record. */
export async function headAt({ knex }: Database, sequence: number): Promise<ChainHead> {
  return await knex('audit_log').where({ sequence }).first('sequence', 'tag');
}

/** All stored sequences, including rows that are no longer part of the trail. */
export const storedIn = ({ knex }: Database): Promise<number[]> =>
  knex('audit_log').orderBy('sequence').pluck('sequence');

/** The verdict on a trail in one line. */
export async function verdictOf({ audit }: TrailUser, expected?: ChainHead): Promise<string> {
  const verdict = await audit.verify(expected);
  if (!verdict.ok) return `broken at ${verdict.sequence}: ${verdict.problem}`;
  const { records, start, leftOver } = verdict;
  return `${records} records after ${start.sequence}${leftOver ? ', with rows left over' : ''}`;
}

import { type AuditChain, auditChain, type ChainHead } from '../../server/audit/audit-chain.ts';
import type { AuditTrail } from '../../server/audit/audit-trail.ts';
import { type KeyAnchoring, keyAnchoring } from '../../server/audit/key-anchoring.ts';
import { pruneTrail, type TrailPrune } from '../../server/audit/prune-trail.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { BEGIN } from './audit-trail.ts';
import { auditOn, SIGNING_KEY } from './vault.ts';

export const DAY = 86_400_000;
/** When trails are pruned here: long after their records were made. */
export const LATER = BEGIN + 400 * DAY;

export const seconds = (after: number): string => new Date(BEGIN + after * 1_000).toISOString();

/** A process with these keys on a trail. */
export interface TrailUser {
  chain: AuditChain;
  audit: AuditTrail;
  anchoring: KeyAnchoring;
  clock: { elapsed: number };
  /** @param options.before the time of `LATER` less 100 days by default, which is later than all records */
  prune(exported: ChainHead, options?: { before?: string; pause?: () => Promise<unknown> }): Promise<TrailPrune>;
}

export function trailUser(
  database: Database,
  keys: { current: string; previous?: string } = { current: SIGNING_KEY },
): TrailUser {
  // What a process records by itself is old enough, too.
  const { audit } = auditOn(database, keys, () => BEGIN + DAY);
  const chain = auditChain(derivedKeys(keys, 'audit'));
  const clock = { elapsed: 0 };
  const log = { info: () => {}, warn: () => {}, error: () => {} };
  return {
    chain,
    audit,
    clock,
    anchoring: keyAnchoring({ database, chain, audit, log, elapsed: () => clock.elapsed }),
    prune: (exported, { before = new Date(LATER - 100 * DAY).toISOString(), pause = async () => {} } = {}) =>
      pruneTrail({ database, chain, audit, now: () => LATER, request: { before, exported }, pause }),
  };
}

/** Where a record stands. */
export async function placeOf({ knex }: Database, sequence: number): Promise<ChainHead> {
  return await knex('audit_log').where({ sequence }).first('sequence', 'tag');
}

/** The sequences that are stored, part of the trail or not. */
export const storedIn = ({ knex }: Database): Promise<number[]> =>
  knex('audit_log').orderBy('sequence').pluck('sequence');

/** What a trail is found to be, in a line. */
export async function verdictOf({ audit }: TrailUser, expected?: ChainHead): Promise<string> {
  const verdict = await audit.verify(expected);
  if (!verdict.ok) return `broken at ${verdict.sequence}: ${verdict.problem}`;
  const { records, start, leftOver } = verdict;
  return `${records} records after ${start.sequence}${leftOver ? ', with rows left over' : ''}`;
}

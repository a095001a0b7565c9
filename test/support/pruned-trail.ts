import { type AuditChain, auditChain, type ChainHead } from '../../server/audit/chain.ts';
import { type ChainWatch, chainWatch, type KeyAnchoring, keyAnchoring } from '../../server/audit/chain-watch.ts';
import { pruneTrail, type TrailPrune } from '../../server/audit/prune.ts';
import type { AuditTrail } from '../../server/audit/trail.ts';
import { chainWalk } from '../../server/audit/verify.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import type { AuditChainState } from '../../shared/audit.ts';
import { appendAll, BEGIN } from './audit-trail.ts';
import { eventually } from './eventually.ts';
import { auditOn, SIGNING_KEY } from './vault.ts';

const MINUTE = 60_000;
export const DAY = 86_400_000;
/** When trails are pruned here: long after their records were made. */
export const LATER = BEGIN + 400 * DAY;

export const seconds = (after: number): string => new Date(BEGIN + after * 1_000).toISOString();

/** A process with these keys on a trail. */
export interface TrailUser {
  chain: AuditChain;
  audit: AuditTrail;
  anchoring: KeyAnchoring;
  errors: unknown[];
  /** Appends so many records, the first of them this many seconds after the beginning. */
  sign(records: number, from?: number): Promise<void>;
  /** Checks now and again after a while, in which nobody signs with the previous key, whether an anchor is due. */
  anchor(milliseconds?: number): Promise<void>;
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

/** A trail of so many records by each of three keys, each change of the key sealed by an anchor. */
export async function threeKeys(database: Database, [first = '', second = '', third = '']: string[], records = 100) {
  await trailUser(database, { current: first }).sign(records);
  for (const [index, keys] of [
    { current: second, previous: first },
    { current: third, previous: second },
  ].entries()) {
    const user = trailUser(database, keys);
    await user.anchor();
    await user.sign(records, records * (index + 1));
  }
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

export const HOUR = 3_600_000;

/** A watch over a trail, and a clock that stands still unless a test moves it. */
export interface WatchedChain {
  watch: ChainWatch;
  clock: { elapsed: number };
  logged: unknown[];
  /** How often the whole trail has been verified. */
  walks(): number;
  /** Reads the state until the trail is found intact up to this record, or broken at it. */
  becomes(status: 'whole' | 'broken', sequence: number): Promise<AuditChainState>;
}

/** @param afterBatch called after each batch of 250 records, with how many batches were read before; awaited */
export function watchedChain(
  database: Database,
  afterBatch: (before: number) => Promise<unknown> = async () => {},
): WatchedChain {
  const clock = { elapsed: 0 };
  const logged: unknown[] = [];
  const walk = chainWalk(database, auditChain(derivedKeys({ current: SIGNING_KEY }, 'audit')));
  let walks = 0;
  let batches = 0;
  const watch = chainWatch({
    async walk(from, options = {}) {
      const end = await walk(from, {
        ...options,
        async pause(position) {
          await options.pause?.(position);
          batches += 1;
          await afterBatch(batches - 1);
        },
      });
      if (from.sequence === 0) walks += 1;
      return end;
    },
    head: async () => (await database.knex('audit_head').where({ id: 1 }).first('sequence')).sequence,
    log: { error: (fields: unknown) => void logged.push(fields) },
    now: () => BEGIN + clock.elapsed,
    elapsed: () => clock.elapsed,
  });
  return {
    watch,
    clock,
    logged,
    walks: () => walks,
    async becomes(status, sequence) {
      let state: AuditChainState | undefined;
      await eventually(async () => {
        state = await watch.state();
        return [state.status, state.status === 'broken' ? state.broken_at : state.verified_to];
      }, [status, sequence]);
      return state as AuditChainState;
    },
  };
}

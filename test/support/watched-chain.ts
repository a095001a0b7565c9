import { auditChain } from '../../server/audit/audit-chain.ts';
import { type ChainWatch, chainWatch } from '../../server/audit/chain-watch.ts';
import { chainWalk } from '../../server/audit/verify-chain.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import type { AuditChainState } from '../../shared/audit.ts';
import { BEGIN } from './audit-trail.ts';
import { becomes } from './becomes.ts';
import { SIGNING_KEY } from './vault.ts';

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
      await becomes(async () => {
        state = await watch.state();
        return [state.status, state.status === 'broken' ? state.broken_at : state.verified_to];
      }, [status, sequence]);
      return state as AuditChainState;
    },
  };
}

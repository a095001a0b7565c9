import type { Router } from 'express';
import type { OperatorsMissing } from '../../../shared/security.ts';
import type { AuditChain } from '../../audit/audit-chain.ts';
import { auditSearch } from '../../audit/audit-search.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import { type ChainWatch, chainWatch } from '../../audit/chain-watch.ts';
import { keyAnchoring } from '../../audit/key-anchoring.ts';
import { chainWalk } from '../../audit/verify-chain.ts';
import type { Database } from '../../db/database.ts';
import { rateLimit } from '../../http/rate-limit.ts';
import type { Log } from '../../log/log.ts';
import type { Revocations } from '../../session/revocations.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { auditRouter } from './audit-router.ts';
import { lockedAccounts } from './locked-accounts.ts';
import { lockedAccountsRouter } from './locked-accounts-router.ts';
import { operatorNames } from './operator-names.ts';
import { type Operators, operators, type WithRole } from './operators.ts';
import { operatorsRouter } from './operators-router.ts';
import { revocationsRouter } from './revocations-router.ts';

/** The audit trail, operators, locked accounts and posture, and the routes to end sessions. */
export interface Security {
  audit: Router;
  operators: Router;
  lockedAccounts: Router;
  revocations: Router;
  /** For the posture. */
  chain: ChainWatch;
  whoOperates: Operators;
  stop(): Promise<void>;
}

const UNLOCKS_A_MINUTE = 60;

/**
 * @param options.store the operators' identities, if a store is configured
 * @param options.withRole people with a role there, or why they are not known
 * @param options.now milliseconds since the epoch
 * @param options.monotonic milliseconds on a monotonic clock
 */
export function security(options: {
  database: Database;
  audit: AuditTrail;
  chain: AuditChain;
  revocations: Revocations;
  store: IdentityStore | undefined;
  withRole: WithRole | OperatorsMissing;
  now: () => number;
  monotonic: () => number;
  log: Log;
}): Security {
  const { database, audit, chain, revocations, store, withRole, now, monotonic: elapsed, log } = options;
  const search = auditSearch(database);
  const watch = chainWatch({ walk: chainWalk(database, chain), head: search.head, log, now, elapsed });
  const whoOperates = operators({ search, store, withRole, now, elapsed });
  const naming = operatorNames(store, elapsed);
  const unlocks = rateLimit({ limit: UNLOCKS_A_MINUTE, windowMs: 60_000, monotonic: elapsed });
  const anchoring = keyAnchoring({ database, chain, audit, log, elapsed });
  anchoring.start();
  return {
    audit: auditRouter(search, watch),
    operators: operatorsRouter(whoOperates, naming, audit),
    lockedAccounts: lockedAccountsRouter(lockedAccounts({ database, audit, now }), unlocks),
    revocations: revocationsRouter(revocations.raiseEpoch, audit),
    chain: watch,
    whoOperates,
    async stop() {
      await Promise.all([watch.close(), anchoring.close()]);
    },
  };
}

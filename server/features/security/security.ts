import { Router } from 'express';
import type { Knex } from 'knex';
import { isUuid } from '../../../shared/json.ts';
import type { OperatorsMissing } from '../../../shared/security.ts';
import type { AuditChain } from '../../audit/chain.ts';
import { type ChainWatch, chainWatch, keyAnchoring } from '../../audit/chain-watch.ts';
import { auditSearch } from '../../audit/search.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import { chainWalk } from '../../audit/verify.ts';
import type { Database } from '../../db/database.ts';
import { bodyFields, textField } from '../../http/bodies.ts';
import { badRequest, methodNotAllowed } from '../../http/errors.ts';
import { rateLimit } from '../../http/limits.ts';
import type { Log } from '../../log.ts';
import type { Revocations } from '../../session/revocations.ts';
import { sessionOf } from '../../session/session-verifier.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { auditRouter } from './audit-router.ts';
import { lockedAccounts, lockedAccountsRouter } from './locked-accounts.ts';
import { operatorNames } from './names.ts';
import { type Operators, operators, operatorsRouter, type WithRole } from './operators.ts';

/**
 * `POST /api/security/revocations`: ends all current dashboard sessions of an identity, in this process immediately.
 * @param endSessions called in the transaction of the audit record, which is written first
 */
export function revocationsRouter(
  endSessions: (identityId: string, record: (trx: Knex.Transaction) => Promise<void>) => Promise<void>,
  audit: AuditTrail,
): Router {
  const router = Router({ caseSensitive: true });
  router
    .route('/')
    .post(async (req, res) => {
      const identityId = parseIdentityId(req.body);
      const { identityId: actor } = sessionOf(res);
      await endSessions(identityId, (trx) =>
        audit.record({ action: 'session_revoke', actor, target: identityId }, trx),
      );
      res.status(204).end();
    })
    .all(methodNotAllowed('POST'));
  return router;
}

/** @throws 400 that names the field */
function parseIdentityId(body: unknown): string {
  const id = textField('identity_id', bodyFields(body, ['identity_id']).identity_id);
  if (!isUuid(id)) throw badRequest('identity_id', 'must be a UUID');
  return id;
}

/** The audit trail, operators, locked accounts and posture, and the routes to end sessions. */
export interface Security {
  audit: Router;
  operators: Router;
  lockedAccounts: Router;
  revocations: Router;
  /** For the posture. */
  chain: ChainWatch;
  operatorList: Operators;
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
  const operatorList = operators({ search, store, withRole, now, elapsed });
  const naming = operatorNames(store, elapsed);
  const unlocks = rateLimit({ limit: UNLOCKS_A_MINUTE, windowMs: 60_000, monotonic: elapsed });
  const anchoring = keyAnchoring({ database, chain, audit, log, elapsed });
  anchoring.start();
  return {
    audit: auditRouter(search, watch),
    operators: operatorsRouter(operatorList, naming, audit),
    lockedAccounts: lockedAccountsRouter(lockedAccounts({ database, audit, now }), unlocks),
    revocations: revocationsRouter(revocations.raiseEpoch, audit),
    chain: watch,
    operatorList,
    async stop() {
      await Promise.all([watch.close(), anchoring.close()]);
    },
  };
}

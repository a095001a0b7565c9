import { Router } from 'express';
import { isUuid } from '../../../shared/json.ts';
import type { Route } from '../../app.ts';
import { chainWatch, keyAnchoring } from '../../audit/chain-watch.ts';
import { chainWalk } from '../../audit/verify.ts';
import type { Context } from '../../context.ts';
import { bodyFields, textField } from '../../http/bodies.ts';
import { badRequest, methodNotAllowed } from '../../http/errors.ts';
import { rateLimit } from '../../http/limits.ts';
import { sessionOf } from '../../session/session-verifier.ts';
import { auditRouter } from './audit-router.ts';
import { lockedAccounts, lockedAccountsRouter } from './locked-accounts.ts';
import { identityNames, subjectNamesRouter } from './names.ts';
import { operatorList, operatorsIn, operatorsRouter } from './operators.ts';

const UNLOCKS_A_MINUTE = 60;

/** The audit trail, operators and locked accounts, and the route that ends sessions. */
export function security(context: Context) {
  const { config, database, audit, auditSearch, chain, index, log, clock, operators: store } = context;
  const { now, monotonic } = clock;
  const watch = chainWatch({ walk: chainWalk(database, chain), head: auditSearch.head, log, now, elapsed: monotonic });
  const operators = operatorList({ search: auditSearch, store, withRole: operatorsIn(index, config), clock });
  const unlocks = rateLimit({ limit: UNLOCKS_A_MINUTE, windowMs: 60_000, monotonic });
  const accounts = lockedAccounts({ database, audit, now });
  const anchoring = keyAnchoring({ database, chain, audit, log, elapsed: monotonic });
  anchoring.start();
  const routes: Route[] = [
    ['/api/security/audit', 'audit.read', auditRouter(auditSearch, watch)],
    [
      '/api/security/locked-accounts',
      { read: 'locks.read', write: 'locks.write' },
      lockedAccountsRouter(accounts, unlocks),
    ],
    ['/api/security/operators', 'operators.read', operatorsRouter(operators, identityNames(store, monotonic), audit)],
    ['/api/security/revocations', 'operators.write', revocationsRouter(context)],
    ['/api/security/subject-names', 'upstreams.read', subjectNamesRouter(context)],
  ];
  return {
    routes,
    operators,
    chain: watch,
    async stop(): Promise<void> {
      await Promise.all([watch.close(), anchoring.close()]);
    },
  };
}

/**
 * `POST /api/security/revocations`: ends all current dashboard sessions of an identity, immediately in this process.
 * The audit record is written first, in the same transaction.
 */
function revocationsRouter({ revocations, audit }: Context): Router {
  const router = Router({ caseSensitive: true });
  router
    .route('/')
    .post(async (req, res) => {
      const target = parseIdentityId(req.body);
      const { identityId: actor } = sessionOf(res);
      await revocations.raiseEpoch(target, (trx) => audit.record({ action: 'session_revoke', actor, target }, trx));
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

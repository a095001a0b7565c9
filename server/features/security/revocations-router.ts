import { Router } from 'express';
import type { Knex } from 'knex';
import { isUuid } from '../../../shared/uuid.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import { badRequest } from '../../http/api-error.ts';
import { bodyFields, textField } from '../../http/json-fields.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { sessionOf } from '../../session/current-session.ts';

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

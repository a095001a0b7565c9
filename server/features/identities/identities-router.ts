import { Router } from 'express';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { sessionOf } from '../../session/current-session.ts';
import type { IdentityDirectory } from './identity-directory.ts';
import { parseIdentityQuery } from './identity-query.ts';

/** `GET /api/identities` (section 4.4), each with its audit record, and `GET /api/identities/total`. */
export function identitiesRouter(directory: IdentityDirectory, audit: AuditTrail): Router {
  const router = Router({ caseSensitive: true });
  router.get('/', async (req, res) => {
    const query = parseIdentityQuery(req.query);
    await audit.record({
      action: 'identity_search',
      adminId: sessionOf(res).identityId,
      searchFilter: query.credentialsIdentifier ?? null,
    });
    res.json(await directory.list(query));
  });
  router.get('/total', async (_req, res) => {
    res.json(await directory.total());
  });
  router.all(['/', '/total'], methodNotAllowed('GET, HEAD'));
  return router;
}

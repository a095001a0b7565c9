import { Router } from 'express';
import type { IdentityCredentials } from '../../../shared/identity-credentials.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { sessionOf } from '../../session/current-session.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { identityCredentials } from './identity-credentials.ts';
import type { IdentityDirectory } from './identity-directory.ts';
import { type IdentityQuery, parseIdentityQuery } from './identity-query.ts';

/**
 * `GET /api/identities` (docs/api.md#identities), with an audit record for each request; `GET /api/identities/total`;
 * and `GET /api/identities/:id/credentials`.
 */
export function identitiesRouter(directory: IdentityDirectory, store: IdentityStore, audit: AuditTrail): Router {
  const router = Router({ caseSensitive: true });
  router.get('/', async (req, res) => {
    const query = parseIdentityQuery(req.query);
    await audit.record({
      action: 'identity_search',
      adminId: sessionOf(res).identityId,
      searchFilter: searchFilterOf(query),
    });
    res.json(await directory.list(query));
  });
  router.get('/total', async (_req, res) => {
    res.json(await directory.total());
  });
  router.get('/:id/credentials', async (req, res) => {
    const answer: IdentityCredentials = { credentials: await identityCredentials(store, req.params.id) };
    res.json(answer);
  });
  router.all(['/', '/total', '/:id/credentials'], methodNotAllowed('GET, HEAD'));
  return router;
}

/** For the audit record: the whole identifier, `prefix:ada*` for a prefix, null for neither. */
const searchFilterOf = ({ credentialsIdentifier, credentialsIdentifierPrefix }: IdentityQuery): string | null =>
  credentialsIdentifier ??
  (credentialsIdentifierPrefix === undefined ? null : `prefix:${credentialsIdentifierPrefix}*`);

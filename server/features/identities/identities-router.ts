import { type Response, Router } from 'express';
import type { IdentityCredentials } from '../../../shared/identity-credentials.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { sendJsonText } from '../../http/send-json.ts';
import { sessionOf } from '../../session/current-session.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { identityCredentials } from './identity-credentials.ts';
import type { IdentityDirectory } from './identity-directory.ts';
import { type IdentityQuery, parseIdentityQuery } from './identity-query.ts';
import type { IdentitySearch } from './identity-search.ts';
import { parseSearchQuery } from './search-query.ts';

/**
 * `GET /api/identities` (docs/api.md#identities) and `GET /api/identities/search`, with an audit record for each request
 * that names people; `GET /api/identities/total`; and `GET /api/identities/:id/credentials`.
 */
export function identitiesRouter(options: {
  directory: IdentityDirectory;
  search: IdentitySearch;
  store: IdentityStore;
  audit: AuditTrail;
}): Router {
  const { directory, search, store, audit } = options;
  const recorded = (res: Response, searchFilter: string | null): Promise<void> =>
    audit.record({ action: 'identity_search', adminId: sessionOf(res).identityId, searchFilter });

  const router = Router({ caseSensitive: true });
  router.get('/', async (req, res) => {
    const query = parseIdentityQuery(req.query);
    await recorded(res, searchFilterOf(query));
    sendJsonText(res, await directory.list(query));
  });
  router.get('/search', async (req, res) => {
    const query = parseSearchQuery(req.query);
    // What finds nobody is not recorded: the page asks the store instead, which is.
    await search.ready();
    await recorded(res, query.canonical);
    sendJsonText(res, await search.page(sessionOf(res).sessionId, query));
  });
  router.get('/search/ids', async (req, res) => {
    const query = parseSearchQuery(req.query);
    // What finds nobody is not recorded: the page asks the store instead, which is.
    await search.ready();
    await recorded(res, query.canonical);
    res.json(await search.ids(sessionOf(res).sessionId, query));
  });
  // Names nobody, and so writes no record.
  router.get('/search/count', async (req, res) => {
    res.json(await search.count(sessionOf(res).sessionId, parseSearchQuery(req.query)));
  });
  router.get('/total', async (_req, res) => {
    res.json(await directory.total());
  });
  router.get('/:id/credentials', async (req, res) => {
    const answer: IdentityCredentials = { credentials: await identityCredentials(store, req.params.id) };
    res.json(answer);
  });
  router.all(
    ['/', '/search', '/search/ids', '/search/count', '/total', '/:id/credentials'],
    methodNotAllowed('GET, HEAD'),
  );
  return router;
}

/** For the audit record: the whole identifier, `prefix:ada*` for a prefix, null for neither. */
const searchFilterOf = ({ credentialsIdentifier, credentialsIdentifierPrefix }: IdentityQuery): string | null =>
  credentialsIdentifier ??
  (credentialsIdentifierPrefix === undefined ? null : `prefix:${credentialsIdentifierPrefix}*`);

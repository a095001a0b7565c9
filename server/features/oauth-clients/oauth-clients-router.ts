import { Router } from 'express';
import type { ClientSearchPage } from '../../../shared/client-search.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { sessionOf } from '../../session/current-session.ts';
import { type ClientSearchQuery, parseClientSearchQuery } from './client-search-query.ts';

/** `GET /api/oauth-clients/search`. */
export function oauthClientsRouter(
  search: (session: string, query: ClientSearchQuery) => Promise<ClientSearchPage>,
): Router {
  const router = Router({ caseSensitive: true });
  router
    .route('/search')
    .get(async (req, res) => {
      res.json(await search(sessionOf(res).sessionId, parseClientSearchQuery(req.query)));
    })
    .all(methodNotAllowed('GET, HEAD'));
  return router;
}

import { Router } from 'express';
import type { AuditPage } from '../../../shared/audit.ts';
import type { AuditSearch } from '../../audit/audit-search.ts';
import type { ChainWatch } from '../../audit/chain-watch.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { pageTokenOf, parseAuditQuery } from './audit-query.ts';

/** `GET /api/security/audit` and `GET …/chain`. */
export function auditRouter(search: AuditSearch, watch: ChainWatch): Router {
  const router = Router({ caseSensitive: true });
  router
    .route('/')
    .get(async (req, res) => {
      const { filter, size, after } = parseAuditQuery(req.query);
      const { records, next } = await search.page(filter, size, after);
      const next_page_token = next === undefined ? null : pageTokenOf(next);
      res.json({ events: records, next_page_token, has_more: next !== undefined } satisfies AuditPage);
    })
    .all(methodNotAllowed('GET, HEAD'));
  router
    .route('/chain')
    .get(async (_req, res) => {
      res.json(await watch.state());
    })
    .all(methodNotAllowed('GET, HEAD'));
  return router;
}

import { Router } from 'express';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import type { Operators } from './operators.ts';

/** `GET /api/security/operators`, mounted at that path. */
export function operatorsRouter(operators: Operators): Router {
  const router = Router({ caseSensitive: true });
  router
    .route('/')
    .get(async (_req, res) => {
      res.json(await operators.list());
    })
    .all(methodNotAllowed('GET, HEAD'));
  return router;
}

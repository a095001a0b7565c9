import { type Request, Router } from 'express';
import { ApiError } from '../../http/api-error.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import type { SessionVerifier } from '../../session/session-verifier.ts';
import { parseLayout } from './layout-input.ts';
import type { LayoutStore } from './layout-store.ts';

/**
 * `GET` and `PUT /api/dashboard/layout`, mounted at that path. The session is verified here once more (section 4.5): the
 * layout belongs to whom the cookie names, whatever stands before this router.
 */
export function layoutRouter(layouts: LayoutStore, verify: SessionVerifier): Router {
  async function operatorOf(req: Request): Promise<string> {
    const session = await verify(req);
    if (typeof session === 'string') throw new ApiError('not_authenticated');
    return session.identityId;
  }

  const router = Router({ caseSensitive: true, strict: false });
  router
    .route('/')
    .get(async (req, res) => {
      res.json(await layouts.find(await operatorOf(req)));
    })
    .put(async (req, res) => {
      const operator = await operatorOf(req);
      const layout = parseLayout(req.body);
      await layouts.save(operator, layout);
      res.json(layout);
    })
    .all(methodNotAllowed('GET, HEAD, PUT'));
  return router;
}

import { type Request, Router } from 'express';
import { ApiError } from '../../http/api-error.ts';
import { ifMatch } from '../../http/if-match.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { sendJson } from '../../http/send-json.ts';
import type { SessionVerifier } from '../../session/session-verifier.ts';
import { parseLayout } from './layout-input.ts';
import type { LayoutStore } from './layout-store.ts';

/**
 * `GET` and `PUT /api/dashboard/layout`. The session is verified here again, as a second layer: the layout is that of
 * the identity in the cookie, whatever precedes this router. A PUT with `If-Match` is 412 if another tab has saved
 * meanwhile; without it, the last write wins.
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
      const { layout, tag } = await layouts.find(await operatorOf(req));
      res.setHeader('ETag', tag);
      sendJson(res, layout);
    })
    .put(async (req, res) => {
      const operator = await operatorOf(req);
      const layout = parseLayout(req.body);
      const tag = await layouts.save(operator, layout, ifMatch(req.headers['if-match']));
      if (tag === undefined) throw new ApiError('precondition_failed');
      res.setHeader('ETag', tag);
      sendJson(res, layout);
    })
    .all(methodNotAllowed('GET, HEAD, PUT'));
  return router;
}

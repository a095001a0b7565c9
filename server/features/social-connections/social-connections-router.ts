import { Router } from 'express';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { type SocialSettings, socialProviders } from './social-providers.ts';

/** `GET /api/connections/social`, public (docs/api.md#routes): read-only, without secrets. */
export function socialConnectionsRouter(settings: SocialSettings): Router {
  const router = Router({ caseSensitive: true, strict: false });
  router
    .route('/api/connections/social')
    .get(async (_req, res) => {
      res.json({ providers: await socialProviders(settings) });
    })
    .all(methodNotAllowed('GET, HEAD'));
  return router;
}

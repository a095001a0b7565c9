import { Router } from 'express';
import { methodNotAllowed } from '../../../http/method-not-allowed.ts';
import type { PostureReport } from './posture.ts';

/** `GET /api/security/posture`. */
export function postureRouter(report: PostureReport): Router {
  const router = Router({ caseSensitive: true });
  router
    .route('/')
    .get(async (_req, res) => {
      res.json(await report.read());
    })
    .all(methodNotAllowed('GET, HEAD'));
  return router;
}

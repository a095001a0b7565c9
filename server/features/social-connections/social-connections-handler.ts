import type { RequestHandler } from 'express';
import { type SocialSettings, socialProviders } from './social-providers.ts';

/** `GET /api/connections/social`, public (docs/api.md#routes): read-only, without secrets. */
export const socialConnectionsHandler =
  (settings: SocialSettings): RequestHandler =>
  async (_req, res) => {
    res.json({ providers: await socialProviders(settings) });
  };

import { healthRoutes, versionRoutes } from '../health-routes.ts';
import { adminPort } from '../http/admin-port.ts';
import type { Handler } from '../http/router.ts';
import { type ClientRoutesOptions, clientRoutes } from './client-routes.ts';
import { type ConsentRoutesOptions, consentRoutes } from './consent-routes.ts';
import { OauthServiceError, unrecognizable } from './oauth-errors.ts';
import { type TokenRoutesOptions, tokenRoutes } from './token-routes.ts';

export interface OauthAdminOptions extends ClientRoutesOptions, ConsentRoutesOptions, TokenRoutesOptions {
  ready: () => boolean;
  apiKey: string | undefined;
}

/** Hydra's admin port: clients, consents and tokens. */
export function oauthAdminService(options: OauthAdminOptions): Handler {
  const routes = [
    ...clientRoutes(options),
    ...consentRoutes(options),
    ...tokenRoutes(options),
    ...healthRoutes('/admin', options.ready, () => unrecognizable(503)),
    ...versionRoutes(),
  ];
  return adminPort(routes, options.apiKey, () => {
    throw new OauthServiceError(401, 'The request could not be authorized', 'The API key is missing or wrong.');
  });
}

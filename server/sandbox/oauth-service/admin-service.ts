import { healthRoutes, versionRoutes } from '../health-routes.ts';
import { adminPort } from '../http/admin-port.ts';
import type { Handler } from '../http/router.ts';
import { OauthServiceError } from './client-errors.ts';
import { type ClientRoutesOptions, clientRoutes } from './client-routes.ts';

/** The OAuth service's admin port, as far as clients go. */
export const oauthAdminService = (options: ClientRoutesOptions & { apiKey: string | undefined }): Handler =>
  adminPort([...clientRoutes(options), ...healthRoutes('/admin'), ...versionRoutes()], options.apiKey, () => {
    throw new OauthServiceError(401, 'The request could not be authorized', 'The API key is missing or wrong.');
  });

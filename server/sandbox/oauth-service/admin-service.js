import { healthRoutes, versionRoutes } from '../health-routes.js';
import { adminPort } from '../http/admin-port.js';
import { OauthServiceError } from './client-errors.js';
import { clientRoutes } from './client-routes.js';
/** The OAuth service's admin port, as far as clients go. */
export const oauthAdminService = (options) =>
  adminPort([...clientRoutes(options), ...healthRoutes('/admin'), ...versionRoutes()], options.apiKey, () => {
    throw new OauthServiceError(401, 'The request could not be authorized', 'The API key is missing or wrong.');
  });

import { healthRoutes, versionRoutes } from '../health-routes.js';
import { adminPort } from '../http/admin-port.js';
import { redirect, route } from '../http/router.js';
import { courierRoutes } from './courier-routes.js';
import { unauthorized } from './identity-errors.js';
import { identityRoutes } from './identity-routes.js';
import { recoveryRoutes } from './recovery-routes.js';
import { sessionRoutes } from './session-routes.js';
/** The identity service's admin port. */
export function adminService(options) {
  const { publicUrl, courier, tokens, apiKey } = options;
  const toPublic = (call) => redirect(call, publicUrl + call.path.slice('/admin'.length));
  const routes = [
    route('GET', '/admin/sessions/whoami', toPublic),
    route('DELETE', '/admin/sessions', toPublic),
    route('GET', '/admin/schemas', toPublic),
    route('GET', '/admin/schemas/:id', toPublic),
    route('GET', '/admin/self-service/*', toPublic),
    ...identityRoutes(options),
    ...sessionRoutes(options),
    ...recoveryRoutes(options),
    ...courierRoutes(courier, tokens),
    ...healthRoutes('/admin'),
    ...versionRoutes(),
  ];
  return adminPort(routes, apiKey, () => {
    throw unauthorized('The API key is missing or wrong.');
  });
}

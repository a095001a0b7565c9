import { healthRoutes, versionRoutes } from '../health-routes.ts';
import { adminPort } from '../http/admin-port.ts';
import type { Call } from '../http/call.ts';
import { type Handler, redirect, route } from '../http/router.ts';
import type { SealedTokens } from '../paging/sealed-token.ts';
import type { Courier } from './courier/courier.ts';
import { courierRoutes } from './courier/courier-routes.ts';
import { type RecoveryRoutesOptions, recoveryRoutes } from './flows/recovery-routes.ts';
import { unauthorized, unready } from './identities/identity-errors.ts';
import { type IdentityRoutesOptions, identityRoutes } from './identities/identity-routes.ts';
import { type SessionRoutesOptions, sessionRoutes } from './sessions/session-routes.ts';

export interface AdminServiceOptions extends IdentityRoutesOptions, SessionRoutesOptions, RecoveryRoutesOptions {
  courier: Courier;
  tokens: SealedTokens;
  /** Redacts message subjects and bodies, as Kratos does outside of development. */
  redactMessages: boolean;
  ready: () => boolean;
  apiKey: string | undefined;
}

export function adminService(options: AdminServiceOptions): Handler {
  const { publicUrl, courier, tokens, redactMessages, ready, apiKey } = options;
  const toPublic = (call: Call) => redirect(call, publicUrl + call.path.slice('/admin'.length));
  const routes = [
    route('GET', '/admin/sessions/whoami', toPublic),
    route('DELETE', '/admin/sessions', toPublic),
    route('GET', '/admin/schemas', toPublic),
    route('GET', '/admin/schemas/:id', toPublic),
    route('GET', '/admin/self-service/*', toPublic),
    ...identityRoutes(options),
    ...sessionRoutes(options),
    ...recoveryRoutes(options),
    ...courierRoutes(courier, tokens, redactMessages),
    ...healthRoutes('/admin', ready, () => unready('migrations have not yet been fully applied')),
    ...versionRoutes(),
  ];
  return adminPort(routes, apiKey, () => {
    throw unauthorized('The API key is missing or wrong.');
  });
}

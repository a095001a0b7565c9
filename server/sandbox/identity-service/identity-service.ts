import type { Express } from 'express';
import { addHealth, adminApp, adminRouter, queryOf, serviceApp, withEnd } from '../http.ts';
import { addRecoveryRoutes, type RecoveryRoutesOptions } from '../recovery.ts';
import { addCourierRoutes, type Courier } from './courier.ts';
import { identityErrors, unauthorized, unready } from './errors.ts';
import { addIdentityRoutes, type IdentityRoutesOptions } from './identity-routes.ts';
import { addSchemaRoutes, type IdentitySchema } from './schemas.ts';
import { addSessionRoutes, type SessionRoutesOptions } from './sessions.ts';

/**
 * Kratos' public port, as far as the dashboard reads it.
 * @param pagesUrl base URL of the recovery pages
 */
export function publicService(schemas: readonly IdentitySchema[], pagesUrl: string, ready: () => boolean): Express {
  const app = serviceApp();
  addHealth(app, ready, () => unready('error may contain sensitive information and was obfuscated'));
  app.use((_req, res, next) => {
    res.vary('Cookie');
    next();
  });
  addSchemaRoutes(app, schemas);
  app.get('/self-service/recovery', (req, res) => res.redirect(307, `${pagesUrl}/recovery?${queryOf(req)}`));
  return withEnd(app, identityErrors);
}

export interface AdminServiceOptions extends IdentityRoutesOptions, SessionRoutesOptions, RecoveryRoutesOptions {
  courier: Courier;
  /** Redacts message subjects and bodies, as Kratos does outside of development. */
  redactMessages: boolean;
  ready: () => boolean;
  apiKey: string | undefined;
}

export function adminService(options: AdminServiceOptions): Express {
  const router = adminRouter();
  addIdentityRoutes(router, options);
  addSessionRoutes(router, options);
  addRecoveryRoutes(router, options);
  addCourierRoutes(router, options.courier, options.redactMessages);
  addHealth(router, options.ready, () => unready('migrations have not yet been fully applied'));
  return adminApp(router, options.apiKey, unauthorized, identityErrors);
}

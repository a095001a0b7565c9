import type { Express } from 'express';
import { addHealth, adminApp, adminRouter, queryOf, serviceApp, withEnd } from '../http.ts';
import type { SandboxParts } from '../parts.ts';
import { addRecoveryFlow, addRecoveryRoutes } from '../recovery.ts';
import { addCourierRoutes } from './courier.ts';
import { identityErrors, unauthorized, unready } from './errors.ts';
import { addIdentityRoutes } from './identity-routes.ts';
import { addSchemaRoutes } from './schemas.ts';
import { addSessionRoutes } from './sessions.ts';

/** The part of Kratos' public port that the dashboard reads. */
export function publicService(parts: SandboxParts): Express {
  const { schemas, publicUrl, issuer, ready } = parts;
  const app = serviceApp();
  addHealth(app, ready, () => unready('error may contain sensitive information and was obfuscated'));
  app.use((_req, res, next) => {
    res.vary('Cookie');
    next();
  });
  addSchemaRoutes(app, schemas);
  // Of a login flow, the dashboard reads only where its form is sent: the public address.
  app.get('/self-service/login/api', (_req, res) => {
    res.json({ ui: { action: `${publicUrl}/self-service/login`, method: 'POST' } });
  });
  addRecoveryFlow(app, parts);
  app.get('/self-service/recovery', (req, res) => res.redirect(307, `${issuer}/recovery?${queryOf(req)}`));
  return withEnd(app, identityErrors);
}

export function adminService(parts: SandboxParts): Express {
  const router = adminRouter();
  addIdentityRoutes(router, parts);
  addSessionRoutes(router, parts);
  addRecoveryRoutes(router, parts);
  addCourierRoutes(router, parts.courier, parts.redactMessages);
  addHealth(router, parts.ready, () => unready('migrations have not yet been fully applied'));
  return adminApp(router, parts.apiKeys.identityAdmin, unauthorized, identityErrors);
}

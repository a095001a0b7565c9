import { randomUUID } from 'node:crypto';
import type { Express } from 'express';
import { addHealth, adminApp, adminRouter, queryOf, serviceApp, withEnd } from '../http.ts';
import type { SandboxParts } from '../parts.ts';
import { addRecoveryRoutes } from '../recovery.ts';
import { addCourierRoutes } from './courier.ts';
import { identityErrors, unauthorized, unready } from './errors.ts';
import { addIdentityRoutes } from './identity-routes.ts';
import { addSchemaRoutes } from './schemas.ts';
import { addSessionRoutes } from './sessions.ts';

/** The part of Kratos' public port that the dashboard reads. */
export function publicService({ schemas, publicUrl, issuer, ready, now }: SandboxParts): Express {
  const app = serviceApp();
  addHealth(app, ready, () => unready('error may contain sensitive information and was obfuscated'));
  app.use((_req, res, next) => {
    res.vary('Cookie');
    next();
  });
  addSchemaRoutes(app, schemas);
  app.get('/self-service/login/api', (_req, res) => res.json(loginFlow(publicUrl, now())));
  app.get('/self-service/recovery', (req, res) => res.redirect(307, `${issuer}/recovery?${queryOf(req)}`));
  return withEnd(app, identityErrors);
}

/** A login flow, which shows the dashboard where forms are sent. It is not stored, so it cannot be submitted. */
function loginFlow(publicUrl: string, now: number): object {
  const id = randomUUID();
  const issued = new Date(now).toISOString();
  const input = (group: string, attributes: object, label?: object) => ({
    type: 'input',
    group,
    attributes: { ...attributes, disabled: false, node_type: 'input' },
    messages: [],
    meta: label === undefined ? {} : { label: { ...label, type: 'info' } },
  });
  const password = { name: 'password', type: 'password', required: true, autocomplete: 'current-password' };
  const submit = { name: 'method', type: 'submit', value: 'password' };
  const nodes = [
    input('default', { name: 'csrf_token', type: 'hidden', value: '', required: true }),
    input('default', { name: 'identifier', type: 'text', value: '', required: true }, { id: 1070004, text: 'ID' }),
    input('password', password, { id: 1070001, text: 'Password' }),
    input('password', submit, { id: 1010022, text: 'Sign in with password' }),
  ];
  return {
    id,
    organization_id: null,
    type: 'api',
    expires_at: new Date(now + 3_600_000).toISOString(),
    issued_at: issued,
    request_url: `${publicUrl}/self-service/login/api`,
    ui: { action: `${publicUrl}/self-service/login?flow=${id}`, method: 'POST', nodes },
    created_at: issued,
    updated_at: issued,
    refresh: false,
    requested_aal: 'aal1',
    state: 'choose_method',
  };
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

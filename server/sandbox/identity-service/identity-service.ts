import { randomUUID } from 'node:crypto';
import type { Express } from 'express';
import { addHealth, adminApp, adminRouter, queryOf, serviceApp, withEnd } from '../http.ts';
import { addRecoveryRoutes, type RecoveryRoutesOptions } from '../recovery.ts';
import { addCourierRoutes, type Courier } from './courier.ts';
import { identityErrors, unauthorized, unready } from './errors.ts';
import { addIdentityRoutes, type IdentityRoutesOptions } from './identity-routes.ts';
import { addSchemaRoutes, type IdentitySchema } from './schemas.ts';
import { addSessionRoutes, type SessionRoutesOptions } from './sessions.ts';

export interface PublicServiceOptions {
  schemas: readonly IdentitySchema[];
  publicUrl: string;
  pagesUrl: string;
  ready: () => boolean;
  now: () => number;
}

/** The part of Kratos' public port that the dashboard reads. */
export function publicService({ schemas, publicUrl, pagesUrl, ready, now }: PublicServiceOptions): Express {
  const app = serviceApp();
  addHealth(app, ready, () => unready('error may contain sensitive information and was obfuscated'));
  app.use((_req, res, next) => {
    res.vary('Cookie');
    next();
  });
  addSchemaRoutes(app, schemas);
  app.get('/self-service/login/api', (_req, res) => res.json(loginFlow(publicUrl, now())));
  app.get('/self-service/recovery', (req, res) => res.redirect(307, `${pagesUrl}/recovery?${queryOf(req)}`));
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

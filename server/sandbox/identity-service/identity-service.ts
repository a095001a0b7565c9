import { randomBytes } from 'node:crypto';
import {
  type Answer,
  adminPort,
  type Call,
  type Handler,
  healthRoutes,
  redirect,
  route,
  routerOf,
  versionRoutes,
} from '../http.ts';
import type { SealedTokens } from '../paging.ts';
import { type Courier, courierRoutes } from './courier.ts';
import { type IdentityRoutesOptions, identityRoutes } from './identity-routes.ts';
import { type LoginFlowOptions, loginFlowRoutes } from './login-flow.ts';
import { type MailFlowOptions, mailFlowRoutes, type RecoveryRoutesOptions, recoveryRoutes } from './recovery-flow.ts';
import { type IdentitySchemas, schemaRoutes } from './schemas.ts';
import {
  type OwnSessionsOptions,
  ownSessionRoutes,
  type SessionRoutesOptions,
  sessionRoutes,
} from './session-routes.ts';
import { IdentityServiceError, identityErrorAnswer, unauthorized, unready } from './validation.ts';

export interface PublicServiceOptions extends LoginFlowOptions, MailFlowOptions, OwnSessionsOptions {
  schemas: IdentitySchemas;
  adminUrl: string;
  /** Base URL of the recovery pages. */
  pagesUrl: string;
  ready: () => boolean;
}

/** Paths not used by browser forms: no CSRF cookie, no CSRF check. */
const NO_CSRF =
  /^\/(?:health\/.*|version|metrics\/.*|sessions(?:\/.*)?|self-service\/.*|schemas\/.*|courier\/.*|recovery\/.*|(?:admin\/)?identities(?:\/[^/]+)?|admin\/courier\/messages)$/;
/** Served without any cookies. */
const APART = /^\/(?:health\/.*|version|metrics\/.*)$/;
const SAFE = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];

/** Kratos' public port. Errors are handled here, since they have headers of their own. */
export function publicService(options: PublicServiceOptions): Handler {
  const { adminUrl, pagesUrl, ready } = options;
  const toAdmin = (call: Call) => redirect(call, `${adminUrl}/admin${call.path.replace(/^\/admin/, '')}`);
  const answer = routerOf([
    ...['GET', 'POST'].flatMap((method) => [
      route(method, '/identities', toAdmin),
      route(method, '/admin/identities', toAdmin),
    ]),
    ...['GET', 'PUT', 'PATCH', 'DELETE'].flatMap((method) => [
      route(method, '/identities/:id', toAdmin),
      route(method, '/admin/identities/:id', toAdmin),
    ]),
    route('GET', '/admin/courier/messages', toAdmin),
    route('POST', '/recovery/code', toAdmin),
    route('POST', '/recovery/link', toAdmin),
    route('GET', '/self-service/recovery', (call) => redirect(call, `${pagesUrl}/recovery`)),
    ...loginFlowRoutes(options),
    ...mailFlowRoutes(options),
    ...ownSessionRoutes(options),
    ...schemaRoutes(options.schemas),
    ...healthRoutes('', ready, () => unready('error may contain sensitive information and was obfuscated')),
  ]);
  return async (call) => {
    if (APART.test(call.path)) return answer(call);
    const guarded = !NO_CSRF.test(call.path);
    const given =
      guarded && !SAFE.includes(call.method)
        ? identityErrorAnswer(csrfViolation(), undefined)
        : await answered(answer, call);
    const headers = { ...given.headers, Vary: 'Cookie' };
    return { ...given, headers: guarded ? { ...headers, 'Set-Cookie': csrfCookie() } : headers };
  };
}

async function answered(answer: Handler, call: Call): Promise<Answer> {
  try {
    return await answer(call);
  } catch (error) {
    return identityErrorAnswer(error, [call.headers['x-request-id'] ?? []].flat()[0]);
  }
}

const csrfCookie = (): string =>
  `csrf_token_${randomBytes(32).toString('hex')}=${randomBytes(32).toString('base64')}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`;

const csrfViolation = (): IdentityServiceError =>
  new IdentityServiceError(403, {
    id: 'security_csrf_violation',
    code: 403,
    status: 'Forbidden',
    reason:
      'Please retry the flow and optionally clear your cookies. The request was rejected to protect you from Cross-Site-Request-Forgery (CSRF) which could cause account takeover, leaking personal information, and other serious security issues.',
    details: {
      docs: 'https://www.ory.sh/kratos/docs/debug/csrf',
      hint: "We detected a regular browser or server-side call. To debug browser calls check your Browser's Network Tab to see what cookies are included or excluded. If you are calling from a server ensure that the appropriate cookies are being forwarded and that the SDK method is called correctly.",
      reject_reason: 'The HTTP Cookie Header is empty or not set.',
    },
    message: 'the request was rejected to protect you from Cross-Site-Request-Forgery',
  });

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

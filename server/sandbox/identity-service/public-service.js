import { randomBytes } from 'node:crypto';
import { healthRoutes } from '../health-routes.js';
import { redirect, route, routerOf } from '../http/router.js';
import { IdentityServiceError, identityErrorAnswer } from './identity-errors.js';
import { loginFlowRoutes } from './login-flow.js';
import { mailFlowRoutes } from './mail-flows.js';
import { ownSessionRoutes } from './own-sessions.js';
import { schemaRoutes } from './schema-routes.js';

/** Paths that browsers' forms never post to: no CSRF cookie, no CSRF check. */
const NO_CSRF =
  /^\/(?:health\/.*|version|metrics\/.*|sessions(?:\/.*)?|self-service\/.*|schemas\/.*|courier\/.*|recovery\/.*|(?:admin\/)?identities(?:\/[^/]+)?|admin\/courier\/messages)$/;
/** Served beside the rest: they know nothing of cookies. */
const APART = /^\/(?:health\/.*|version|metrics\/.*)$/;
const SAFE = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];
/** The identity service's public port. Errors are answered here, because its own headers go with them. */
export function publicService(options) {
  const { adminUrl, pagesUrl } = options;
  const toAdmin = (call) => redirect(call, `${adminUrl}/admin${call.path.replace(/^\/admin/, '')}`);
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
    ...healthRoutes(''),
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
async function answered(answer, call) {
  try {
    return await answer(call);
  } catch (error) {
    return identityErrorAnswer(error, [call.headers['x-request-id'] ?? []].flat()[0]);
  }
}
const csrfCookie = () =>
  `csrf_token_${randomBytes(32).toString('hex')}=${randomBytes(32).toString('base64')}; Path=/; Max-Age=31536000; HttpOnly; SameSite=Lax`;
const csrfViolation = () =>
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

import { healthRoutes } from '../health-routes.js';
import { empty } from '../http/answer.js';
import { respondWith } from '../http/respond.js';
import { route, routerOf } from '../http/router.js';
import { OauthServiceError, oauthErrorAnswer } from './client-errors.js';
import { unknownRoute } from './unknown-route.js';

/** What the provider answers; everything else on this port is 404, whatever the method. */
const PROVIDED = [
  { path: /^\/oauth2\/auth(?:\/[\w-]+)?$/, methods: ['GET', 'POST'] },
  { path: /^\/oauth2\/(?:token|revoke)$/, methods: ['POST'] },
  { path: /^(?:\/oauth2)?\/userinfo$/, methods: ['GET', 'POST'] },
  { path: /^\/\.well-known\/(?:jwks\.json|openid-configuration)$/, methods: ['GET'] },
];
/** Asked for by other origins' preflights, which get an empty answer and no permission. */
const PREFLIGHT = /^(?:(?:\/oauth2)?\/userinfo|\/oauth2\/(?:token|revoke)|\/\.well-known\/.+)$/;
/** The OAuth server's public port: the provider behind a list of its routes, and the sandbox's pages. */
export function oauthPublicService({ pages, signIn, provider }) {
  const local = routerOf([
    ...pages,
    ...healthRoutes(''),
    route('GET', '/oauth2/register/:id', () => {
      throw new OauthServiceError(
        404,
        'The requested resource could not be found',
        'Dynamic registration is not enabled.',
      );
    }),
  ]);
  const answer = respondWith(async (call) => {
    if (call.method === 'OPTIONS' && PREFLIGHT.test(call.path)) return empty(200);
    const found = await local(call);
    return found.status === 404 || found.status === 405 ? unknownRoute(call) : found;
  }, oauthErrorAnswer);
  return (req, res) => {
    const path = (req.url ?? '/').split('?')[0] ?? '/';
    if (/^\/login\/[\w-]+$/.test(path)) return signIn(req, res);
    if (!PROVIDED.some((entry) => entry.path.test(path) && entry.methods.includes(req.method ?? '')))
      return answer(req, res);
    // Hydra serves userinfo at the root.
    if (path === '/userinfo') req.url = `/oauth2${req.url}`;
    provider(req, res);
  };
}

import type { RequestListener } from 'node:http';
import { healthRoutes } from '../health-routes.ts';
import { empty } from '../http/answer.ts';
import { respondWith } from '../http/respond.ts';
import { type Route, route, routerOf } from '../http/router.ts';
import type { SandboxSecrets } from '../sandbox-secrets.ts';
import { discoveryRoutes } from './discovery.ts';
import { OauthServiceError, oauthErrorAnswer, unrecognizable } from './oauth-errors.ts';
import { revocationRoute } from './revocation.ts';
import { type TokenEndpointOptions, tokenEndpoint } from './token-endpoint.ts';
import { unknownRoute } from './unknown-route.ts';
import { type UserinfoOptions, userinfoRoutes } from './userinfo.ts';

export interface OauthPublicOptions extends TokenEndpointOptions, UserinfoOptions {
  pages: readonly Route[];
  /** `/login/<uid>` */
  signIn: RequestListener;
  /** The OpenID provider, for authorization. */
  provider: RequestListener;
  signingKey: SandboxSecrets['signingKey'];
  ready: () => boolean;
}

/** Paths handled by the provider on GET. */
const AUTHORIZATION = /^\/oauth2\/auth(?:\/[\w-]+)?$/;
/** Preflight requests of other origins get an empty response without permission. */
const PREFLIGHT = /^(?:(?:\/oauth2)?\/userinfo|\/oauth2\/(?:token|revoke)|\/\.well-known\/.+)$/;

/** The OAuth server's public port: tokens and userinfo, authorization by the provider, and the sandbox's pages. */
export function oauthPublicService(options: OauthPublicOptions): RequestListener {
  const { pages, signIn, provider, ready, clients, issued, issuer, signingKey } = options;
  const local = routerOf([
    ...pages,
    tokenEndpoint(options),
    revocationRoute(clients, issued),
    ...userinfoRoutes(options),
    ...discoveryRoutes(issuer, signingKey),
    ...healthRoutes('', ready, () => unrecognizable(503)),
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
    return req.method === 'GET' && AUTHORIZATION.test(path) ? provider(req, res) : answer(req, res);
  };
}

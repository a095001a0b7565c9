import type { RequestListener } from 'node:http';
import {
  adminPort,
  empty,
  type Handler,
  healthRoutes,
  json,
  type Route,
  respondWith,
  route,
  routerOf,
  versionRoutes,
} from '../http.ts';
import type { SandboxSecrets } from '../sandbox-database.ts';
import { type ClientRoutesOptions, clientRoutes } from './clients.ts';
import { type ConsentRoutesOptions, type ConsentStore, consentRoutes } from './consents.ts';
import { discoveryRoutes, revocationRoute, type UserinfoOptions, userinfoRoutes } from './discovery.ts';
import {
  EMPTY_BODY,
  invalidRequest,
  OauthServiceError,
  oauthErrorAnswer,
  protocolJson,
  protocolRoute,
  unknownRoute,
  unrecognizable,
} from './oauth-errors.ts';
import { protocolForm, type TokenEndpointOptions, tokenEndpoint } from './token-endpoint.ts';
import type { IssuedToken, IssuedTokens } from './tokens.ts';

export interface TokenRoutesOptions {
  issued: IssuedTokens;
  consents: ConsentStore;
  /** The OAuth server's base URL, without trailing slash. */
  publicUrl: string;
}

/** Tokens on the admin port: introspection (RFC 7662), and deletion of a client's access tokens. */
export function tokenRoutes({ issued, consents, publicUrl }: TokenRoutesOptions): Route[] {
  const introspection = (token: IssuedToken) => ({
    active: true,
    scope: token.scope,
    client_id: token.clientId,
    sub: token.consentId === undefined ? token.clientId : consents.find(token.consentId)?.subject,
    exp: token.expiresAt,
    iat: token.issuedAt,
    nbf: token.issuedAt,
    aud: [],
    iss: publicUrl,
    token_type: 'Bearer',
    token_use: token.use,
  });
  return [
    route(
      'POST',
      '/admin/oauth2/introspect',
      protocolRoute((call) => {
        const form = protocolForm(call);
        if (form.size === 0) throw invalidRequest(EMPTY_BODY);
        const token = issued.find(form.get('token') ?? '');
        const granted = token?.scope.split(' ') ?? [];
        const asked = (form.get('scope') ?? '').split(' ').filter(Boolean);
        if (token === undefined || token.spent || asked.some((scope) => !granted.includes(scope)))
          return protocolJson(200, { active: false });
        return json(200, introspection(token), { 'Content-Type': 'application/json;charset=UTF-8' });
      }),
    ),
    // Refresh tokens remain valid.
    route('DELETE', '/admin/oauth2/tokens', ({ query }) => {
      const clientId = query.get('client_id');
      if (!clientId) throw invalidRequest("Query parameter 'client_id' is not defined but it should have been.");
      issued.removeAccessTokensOf(clientId);
      return empty(204);
    }),
  ];
}

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

export interface OauthAdminOptions extends ClientRoutesOptions, ConsentRoutesOptions, TokenRoutesOptions {
  ready: () => boolean;
  apiKey: string | undefined;
}

/** Hydra's admin port: clients, consents and tokens. */
export function oauthAdminService(options: OauthAdminOptions): Handler {
  const routes = [
    ...clientRoutes(options),
    ...consentRoutes(options),
    ...tokenRoutes(options),
    ...healthRoutes('/admin', options.ready, () => unrecognizable(503)),
    ...versionRoutes(),
  ];
  return adminPort(routes, options.apiKey, () => {
    throw new OauthServiceError(401, 'The request could not be authorized', 'The API key is missing or wrong.');
  });
}

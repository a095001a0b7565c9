import type { JsonWebKey } from 'node:crypto';
import type { Express, Router } from 'express';
import { addHealth, adminApp, adminRouter, formOf, queryOf, sendJson, serviceApp } from '../http.ts';
import { addClientRoutes, type ClientStore } from './clients.ts';
import { addConsentRoutes, type ConsentStore } from './consents.ts';
import { addDiscovery, addRevocation, addUserinfo, type UserinfoOptions } from './discovery.ts';
import {
  EMPTY_BODY,
  invalidRequest,
  oauthErrors,
  protocolErrors,
  sendProtocol,
  unauthorized,
  unrecognizable,
} from './oauth-errors.ts';
import { addTokenEndpoint, type TokenEndpointOptions } from './token-endpoint.ts';
import type { IssuedTokens } from './tokens.ts';

const UNKNOWN_ROUTE = {
  error: {
    code: 404,
    message: 'Not Found',
    reason: 'The requested route does not exist. Make sure you are using the right path, domain, and port.',
  },
};

export interface OauthPublicOptions extends TokenEndpointOptions, UserinfoOptions {
  /** Adds the pages for people. */
  addPages: (app: Express) => void;
  signingKey: JsonWebKey & { kid?: string };
  ready: () => boolean;
}

/** The OAuth server's public port: tokens and userinfo, authorization by the provider, and the sandbox's pages. */
export function oauthPublicService(options: OauthPublicOptions): Express {
  const { addPages, provider, ready, clients, issued, issuer, signingKey } = options;
  const app = serviceApp();
  app.get(['/oauth2/auth', '/oauth2/auth/:uid'], provider.callback());
  addPages(app);
  addTokenEndpoint(app, options);
  addRevocation(app, clients, issued);
  app.use('/oauth2', protocolErrors);
  addUserinfo(app, options);
  addDiscovery(app, issuer, signingKey);
  addHealth(app, ready, () => unrecognizable(503));
  app.use((_req, res) => res.status(404).json(UNKNOWN_ROUTE));
  return app.use(oauthErrors);
}

export interface OauthAdminOptions {
  clients: ClientStore;
  consents: ConsentStore;
  issued: IssuedTokens;
  issuer: string;
  timestamp: () => string;
  ready: () => boolean;
  apiKey: string | undefined;
}

/** Hydra's admin port: clients, consents and tokens. */
export function oauthAdminService(options: OauthAdminOptions): Express {
  const { clients, consents, issuer, timestamp, ready, apiKey } = options;
  const router = adminRouter();
  addClientRoutes(router, clients, issuer, timestamp);
  addConsentRoutes(router, consents, clients);
  addTokenRoutes(router, options);
  addHealth(router, ready, () => unrecognizable(503));
  return adminApp(router, apiKey, unauthorized, oauthErrors);
}

/** Tokens on the admin port: introspection (RFC 7662), and deletion of a client's access tokens. */
function addTokenRoutes(router: Router, { issued, consents, issuer }: OauthAdminOptions): void {
  router.post('/oauth2/introspect', (req, res) => {
    const form = formOf(req);
    if (form.size === 0) throw invalidRequest(EMPTY_BODY);
    const token = issued.find(form.get('token') ?? '');
    const granted = token?.scope.split(' ') ?? [];
    const requested = (form.get('scope') ?? '').split(' ').filter(Boolean);
    if (token === undefined || token.spent || requested.some((scope) => !granted.includes(scope)))
      return sendProtocol(res, 200, { active: false });
    sendJson(res, 200, 'application/json;charset=UTF-8', {
      active: true,
      scope: token.scope,
      client_id: token.clientId,
      sub: token.consentId === null ? token.clientId : consents.find(token.consentId)?.subject,
      exp: token.expiresAt,
      iat: token.issuedAt,
      nbf: token.issuedAt,
      aud: [],
      iss: issuer,
      token_type: 'Bearer',
      token_use: token.use,
    });
  });
  // Refresh tokens remain valid.
  router.delete('/oauth2/tokens', (req, res) => {
    const clientId = queryOf(req).get('client_id');
    if (!clientId) throw invalidRequest("Query parameter 'client_id' is not defined but it should have been.");
    issued.removeAccessTokensOf(clientId);
    res.status(204).end();
  });
  router.use('/oauth2/introspect', protocolErrors);
}

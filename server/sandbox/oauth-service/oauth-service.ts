import type { Express, Router } from 'express';
import type { Provider } from 'oidc-provider';
import { addHealth, adminApp, adminRouter, formOf, queryOf, sendJson, serviceApp } from '../http.ts';
import { STYLESHEET_PATH, stylesheet } from '../page.ts';
import type { SandboxParts } from '../parts.ts';
import { addRecoveryPages } from '../recovery.ts';
import { addSignInPage } from '../sign-in.ts';
import { addClientRoutes } from './clients.ts';
import { addConsentRoutes } from './consents.ts';
import { addDiscovery, addRevocation, addUserinfo } from './discovery.ts';
import {
  EMPTY_BODY,
  invalidRequest,
  oauthErrors,
  protocolErrors,
  sendProtocol,
  unauthorized,
  unrecognizable,
} from './oauth-errors.ts';
import { addTokenEndpoint } from './token-endpoint.ts';

const UNKNOWN_ROUTE = {
  error: {
    code: 404,
    message: 'Not Found',
    reason: 'The requested route does not exist. Make sure you are using the right path, domain, and port.',
  },
};

/** The OAuth server's public port: tokens and userinfo, authorization by the provider, and the sandbox's pages. */
export function oauthPublicService(parts: SandboxParts, provider: Provider): Express {
  const app = serviceApp();
  app.get(['/oauth2/auth', '/oauth2/auth/:uid'], provider.callback());
  app.get(STYLESHEET_PATH, (_req, res) => void res.type('css').send(stylesheet(parts.deployment)));
  addRecoveryPages(app, parts);
  addSignInPage(app, parts, provider);
  addTokenEndpoint(app, parts, provider);
  addRevocation(app, parts);
  app.use('/oauth2', protocolErrors);
  addUserinfo(app, parts);
  addDiscovery(app, parts);
  addHealth(app, parts.ready, () => unrecognizable(503));
  app.use((_req, res) => res.status(404).json(UNKNOWN_ROUTE));
  return app.use(oauthErrors);
}

/** Hydra's admin port: clients, consents and tokens. */
export function oauthAdminService(parts: SandboxParts): Express {
  const router = adminRouter();
  addClientRoutes(router, parts.clients, parts.issuer, parts.timestamp);
  addConsentRoutes(router, parts.consents, parts.clients);
  addTokenRoutes(router, parts);
  addHealth(router, parts.ready, () => unrecognizable(503));
  return adminApp(router, parts.apiKeys.oauthAdmin, unauthorized, oauthErrors);
}

/** Tokens on the admin port: introspection (RFC 7662), and deletion of a client's access tokens. */
function addTokenRoutes(router: Router, { issued, consents, issuer }: SandboxParts): void {
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

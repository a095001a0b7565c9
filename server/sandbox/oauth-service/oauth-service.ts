import type { Express, Request, RequestHandler, Response, Router } from 'express';
import type { Provider } from 'oidc-provider';
import { addHealth, adminApp, adminRouter, formOf, queryOf, sendJson, serviceApp } from '../http.ts';
import { STYLESHEET_PATH, stylesheet } from '../page.ts';
import type { SandboxParts } from '../parts.ts';
import { addRecoveryPages } from '../recovery.ts';
import { addSignInPage } from '../sign-in.ts';
import { addClientRoutes } from './clients.ts';
import { addConsentRoutes } from './consents.ts';
import {
  CHECK_PARAMETERS,
  EMPTY_BODY,
  errorBody,
  invalidRequest,
  oauthErrors,
  protocolErrors,
  sendProtocol,
  unauthorized,
  unrecognizable,
} from './oauth-errors.ts';
import { addTokenEndpoint, authenticatedClient } from './token-endpoint.ts';
import { consentTimes } from './tokens.ts';

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
    if (token === undefined || requested.some((scope) => !granted.includes(scope)))
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

/**
 * `/userinfo`, and `/oauth2/userinfo`, where deployments often expose it: the claims of the sign-in, regardless of the
 * scopes; for a token without a user, the client. Stricter than Hydra, it refuses tokens of identities that are
 * deactivated or deleted.
 */
function addUserinfo(app: Express, { issuer, issued, consents, identities }: SandboxParts): void {
  const handle: RequestHandler = (req, res) => {
    const token = issued.find(bearerOf(req));
    if (token === undefined) return refuse(res);
    if (token.use === 'refresh_token') {
      const description = 'Only access tokens are allowed in the authorization header.';
      return refuse(res, 'invalid_token', description, errorBody(unrecognizable()));
    }
    const about = { aud: [token.clientId], iat: token.issuedAt, iss: issuer };
    if (token.consentId === null) return res.json(about);
    const consent = consents.find(token.consentId);
    if (consent === undefined || identities.find(consent.subject)?.state !== 'active') return refuse(res);
    const { claims, acr, amr, subject } = consent;
    res.json({ ...claims, acr, amr, ...about, ...consentTimes(consent), sub: subject });
  };
  app.route(['/userinfo', '/oauth2/userinfo']).get(handle).post(handle);
}

/** The access token from the header, the form or the query (RFC 6750, section 2). */
function bearerOf(req: Request): string {
  const header = /^bearer +(\S+)$/i.exec(req.get('Authorization') ?? '')?.[1];
  return header ?? formOf(req).get('access_token') ?? queryOf(req).get('access_token') ?? '';
}

function refuse(
  res: Response,
  error = 'request_unauthorized',
  description = 'The request could not be authorized. Check that you provided valid credentials in the right format.',
  body: object = { error, error_description: description },
): void {
  res.set('WWW-Authenticate', `Bearer error="${error}",error_description="${description}"`);
  sendJson(res, 401, 'application/json', body);
}

/**
 * `POST /oauth2/revoke` (RFC 7009): revokes a client's token and the others of the same sign-in; the consent remains.
 * Unknown tokens and those of other clients get 200 as well.
 */
function addRevocation(app: Express, { clients, issued }: SandboxParts): void {
  app.post('/oauth2/revoke', (req, res) => {
    const { client_id } = authenticatedClient(req, clients, CHECK_PARAMETERS);
    const token = issued.find(formOf(req).get('token') ?? '');
    if (token?.clientId === client_id) {
      issued.remove(token.value);
      if (token.consentId !== null) issued.removeOfConsent(token.consentId);
    }
    res.set('Cache-Control', 'no-store').end();
  });
}

/** The discovery documents, with Hydra's endpoints for devices and logout, and the public key of id tokens. */
function addDiscovery(app: Express, { issuer, secrets }: SandboxParts): void {
  const document = {
    issuer,
    authorization_endpoint: `${issuer}/oauth2/auth`,
    device_authorization_endpoint: `${issuer}/oauth2/device/auth`,
    token_endpoint: `${issuer}/oauth2/token`,
    userinfo_endpoint: `${issuer}/userinfo`,
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    end_session_endpoint: `${issuer}/oauth2/sessions/logout`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    subject_types_supported: ['public'],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'client_credentials', 'refresh_token'],
    code_challenge_methods_supported: ['S256'],
    scopes_supported: ['offline_access', 'offline', 'openid', 'profile', 'email'],
    claims_supported: ['sub', 'email', 'email_verified', 'name', 'role', 'traits'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'none'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
  const { use, kty, kid, alg, n, e } = secrets.signingKey;
  app.get(['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'], (_req, res) => {
    res.json(document);
  });
  app.get('/.well-known/jwks.json', (_req, res) => {
    res.json({ keys: [{ use, kty, kid, alg, n, e }] });
  });
}

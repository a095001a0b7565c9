import { createHash } from 'node:crypto';
import type { ErrorRequestHandler, Express, Request } from 'express';
import type { Provider } from 'oidc-provider';
import { attempt } from '../../../shared/json.ts';
import { parseDuration } from '../formats.ts';
import { formOf } from '../http.ts';
import type { SandboxParts } from '../parts.ts';
import { verifyPassword } from '../passwords.ts';
import { recordEvent } from '../telemetry.ts';
import type { ClientDocument } from './client-input.ts';
import type { ClientStore } from './clients.ts';
import {
  CHECK_PARAMETERS,
  EMPTY_BODY,
  invalidClient,
  invalidGrant,
  invalidRequest,
  invalidScope,
  OauthServiceError,
  sendProtocol,
  unauthorizedClient,
} from './oauth-errors.ts';

/**
 * Authenticates the client of an OAuth request (RFC 6749, section 2.3), which must use its registered method.
 * @param missing the error if the request names no client
 * @throws OauthServiceError 400 or 401
 */
export function authenticatedClient(req: Request, clients: ClientStore, missing: string): ClientDocument {
  const given = givenCredentials(req);
  if (given === undefined) throw invalidRequest(missing);
  const client = clients.find(given.id);
  if (client === undefined) throw invalidClient();
  const { token_endpoint_auth_method: method } = client.document;
  if (method !== given.method)
    throw invalidClient(
      `The OAuth 2.0 Client supports client authentication method '${method}', but method '${given.method}' was requested. You must configure the OAuth 2.0 client's 'token_endpoint_auth_method' value to accept '${given.method}'.`,
    );
  if (given.secret !== undefined && !verifyPassword(given.secret, client.secretHash ?? undefined))
    throw invalidClient();
  return client.document;
}

/** Schemes other than Basic are ignored. */
function givenCredentials(req: Request) {
  const form = formOf(req);
  const basic = /^Basic +(.+)$/i.exec(req.get('Authorization') ?? '')?.[1];
  if (basic !== undefined) {
    const [, id = '', secret = ''] = /^([^:]*):(.*)$/s.exec(Buffer.from(basic, 'base64').toString()) ?? [];
    return { id: decoded(id), secret: decoded(secret), method: 'client_secret_basic' };
  }
  const id = form.get('client_id');
  if (!id) return undefined;
  const secret = form.get('client_secret');
  return secret === null ? { id, secret: undefined, method: 'none' } : { id, secret, method: 'client_secret_post' };
}

/** Both halves are form-encoded (RFC 6749, section 2.3.1), so `%`, `:` and `+` in a secret are escaped. */
function decoded(text: string): string {
  const plain = attempt(() => decodeURIComponent(text.replaceAll('+', ' ')));
  if (plain !== undefined) return plain;
  throw invalidRequest(
    "The client credentials in the HTTP authorization header could not be decoded from 'application/x-www-form-urlencoded'.",
  );
}

type GrantType = 'authorization_code' | 'client_credentials';
/** @returns the response's body */
type Exchange = (client: ClientDocument, form: URLSearchParams) => Promise<object>;

/** The lifespans of tokens for clients without lifespans of their own. */
const LIFESPAN_SECONDS = { access: 3600, id: 3600, refresh: 30 * 86_400 };

/**
 * `POST /oauth2/token` for codes and client credentials. Refresh tokens are issued, but nobody exchanges one here.
 * @param provider stores the codes; the grant id of a code is the id of its consent
 */
export function addTokenEndpoint(app: Express, parts: SandboxParts, provider: Provider): void {
  const { clients, consents, issued, idTokens } = parts;

  const grant = (client: ClientDocument, consentId: string, nonce?: string): object => {
    const lifespan = (token: keyof typeof LIFESPAN_SECONDS) => lifespanOf(client, 'authorization_code', token);
    const consent = consents.find(consentId);
    if (consent === undefined) throw invalidGrant();
    const given = { clientId: client.client_id, consentId, scope: consent.scopes.join(' ') };
    const access = issued.issue({ ...given, use: 'access_token' }, lifespan('access'));
    reportIssued(client, 'authorization_code', consent.subject);
    const offline = consent.scopes.some((scope) => scope === 'offline_access' || scope === 'offline');
    const refresh =
      offline && client.grant_types.includes('refresh_token')
        ? issued.issue({ ...given, use: 'refresh_token' }, lifespan('refresh'))
        : undefined;
    return {
      access_token: access.value,
      expires_in: access.expiresAt - access.issuedAt,
      id_token: consent.scopes.includes('openid') ? idTokens(consent, access, lifespan('id'), nonce) : undefined,
      refresh_token: refresh?.value,
      scope: given.scope,
      token_type: 'bearer',
    };
  };

  const exchanges: Record<GrantType, Exchange> = {
    authorization_code: async (client, form) => {
      const code = await provider.AuthorizationCode.find(form.get('code') ?? '');
      const consentId = code?.grantId;
      if (code === undefined || consentId === undefined) throw invalidGrant();
      if (!code.isValid) {
        issued.removeOfConsent(consentId);
        throw invalidGrant('The authorization code has already been used.');
      }
      if (code.clientId !== client.client_id)
        throw invalidGrant(
          'The OAuth 2.0 Client ID from this request does not match the one from the authorize request.',
        );
      if (code.redirectUri !== form.get('redirect_uri'))
        throw invalidGrant("The 'redirect_uri' from this request does not match the one from the authorize request.");
      // The code is used up before the verifier is checked, since each code allows one attempt.
      await code.consume();
      if (code.codeChallenge !== undefined || client.token_endpoint_auth_method === 'none')
        checkVerifier(code.codeChallenge, form.get('code_verifier') ?? '');
      return grant(client, consentId, code.nonce);
    },
    client_credentials: async (client, form) => {
      if (client.token_endpoint_auth_method === 'none')
        throw invalidGrant(
          "The OAuth 2.0 Client is marked as public and is thus not allowed to use authorization grant 'client_credentials'.",
        );
      const scope = form.get('scope') ?? '';
      const allowed = client.scope.split(' ');
      const denied = scope.split(' ').find((name) => name !== '' && !allowed.includes(name));
      if (denied !== undefined) throw invalidScope(`The OAuth 2.0 Client is not allowed to request scope '${denied}'.`);
      const { value, issuedAt, expiresAt } = issued.issue(
        { use: 'access_token', clientId: client.client_id, consentId: null, scope },
        lifespanOf(client, 'client_credentials', 'access'),
      );
      reportIssued(client, 'client_credentials', client.client_id);
      return { access_token: value, expires_in: expiresAt - issuedAt, scope, token_type: 'bearer' };
    },
  };

  app.post('/oauth2/token', async (req, res) => {
    const form = formOf(req);
    if (form.size === 0) throw invalidRequest(EMPTY_BODY);
    const type = form.get('grant_type');
    if (!type) throw invalidRequest("Request parameter 'grant_type' is missing");
    const client = authenticatedClient(req, clients, NO_CLIENT);
    res.locals['client'] = client.client_id;
    const exchange = Object.hasOwn(exchanges, type) ? exchanges[type as GrantType] : undefined;
    if (exchange === undefined) throw invalidRequest(CHECK_PARAMETERS);
    const isPublic = client.token_endpoint_auth_method === 'none';
    if (!client.grant_types.includes(type) && !(isPublic && type === 'client_credentials'))
      throw unauthorizedClient(`The OAuth 2.0 Client is not allowed to use authorization grant '${type}'.`);
    sendProtocol(res, 200, await exchange(client, form));
  });
  app.use('/oauth2/token', reportRefusal);
}

const reportIssued = ({ client_id }: ClientDocument, grant: GrantType, subject: string): void =>
  recordEvent('OAuth2AccessTokenIssued', { OAuth2GrantType: grant, OAuth2Subject: subject, OAuth2ClientID: client_id });

/** Names the client only if it authenticated. */
const reportRefusal: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  const about = { OAuth2ClientID: res.locals['client'] ?? '', OAuth2Subject: '' };
  if (error instanceof OauthServiceError)
    recordEvent('OAuth2TokenExchangeError', { ErrorReason: error.hint ?? error.error, ...about });
  next(error);
};

const NO_CLIENT = 'Client credentials missing or malformed in both HTTP Authorization header and HTTP POST body.';

/** The client's own lifespan, otherwise the server's default, in seconds. */
function lifespanOf(client: ClientDocument, type: GrantType, token: keyof typeof LIFESPAN_SECONDS): number {
  const lifespans: Partial<Record<string, unknown>> = client;
  const registered = parseDuration(String(lifespans[`${type}_grant_${token}_token_lifespan`] ?? ''));
  return registered === undefined ? LIFESPAN_SECONDS[token] : Math.floor(registered / 1000);
}

/** Proof Key for Code Exchange (RFC 7636, section 4.6), S256 only. */
function checkVerifier(challenge: string | undefined, verifier: string): void {
  if (challenge === undefined) throw invalidGrant('Unable to find initial PKCE data tied to this request');
  if (verifier.length < 43) throw invalidGrant('The PKCE code verifier must be at least 43 characters.');
  if (verifier.length > 128) throw invalidGrant('The PKCE code verifier can not be longer than 128 characters.');
  if (!/^[\w.~-]+$/.test(verifier))
    throw invalidGrant("The PKCE code verifier must only contain [a-Z], [0-9], '-', '.', '_', '~'.");
  if (createHash('sha256').update(verifier).digest('base64url') !== challenge)
    throw invalidGrant('The PKCE code challenge did not match the code verifier.');
}

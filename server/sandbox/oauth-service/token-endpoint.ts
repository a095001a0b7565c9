import { createHash } from 'node:crypto';
import { parseDuration } from '../go/duration.ts';
import type { Answer } from '../http/answer.ts';
import { type Route, route } from '../http/router.ts';
import type { AuthorizationCode, AuthorizationCodes } from './authorization-codes.ts';
import { authenticatedClient } from './client-authentication.ts';
import type { ClientDocument } from './client-document.ts';
import type { ClientStore } from './client-store.ts';
import type { ConsentStore } from './consent-store.ts';
import type { IdTokens } from './id-token.ts';
import type { IssuedTokens } from './issued-tokens.ts';
import {
  CHECK_PARAMETERS,
  EMPTY_BODY,
  invalidGrant,
  invalidRequest,
  invalidScope,
  protocolJson,
  protocolRoute,
  unauthorizedClient,
} from './oauth-errors.ts';
import { protocolForm } from './protocol-form.ts';

export interface TokenEndpointOptions {
  clients: ClientStore;
  codes: AuthorizationCodes;
  consents: ConsentStore;
  issued: IssuedTokens;
  idTokens: IdTokens;
  /** The default for clients without a lifespan of their own. */
  accessTokenTtlSeconds: number;
}

type GrantType = 'authorization_code' | 'refresh_token' | 'client_credentials';
type Exchange = (client: ClientDocument, form: URLSearchParams) => Answer;

const ID_TOKEN_SECONDS = 3600;
const REFRESH_TOKEN_SECONDS = 30 * 86_400;

/** `POST /oauth2/token` for codes, refresh tokens and client credentials. */
export function tokenEndpoint(options: TokenEndpointOptions): Route {
  const { clients, codes, consents, issued, idTokens, accessTokenTtlSeconds } = options;

  /** The tokens of a consent; every exchange returns a new refresh token. */
  const grant = (client: ClientDocument, type: GrantType, consentId: string, nonce?: string): Answer => {
    const consent = consents.find(consentId);
    if (consent === undefined) throw invalidGrant();
    const clientId = client.client_id;
    const given = { clientId, consentId, scope: consent.scopes.join(' ') };
    const access = issued.issue(
      { ...given, use: 'access_token' },
      lifespanOf(client, type, 'access', accessTokenTtlSeconds),
    );
    const offline = consent.scopes.some((scope) => scope === 'offline_access' || scope === 'offline');
    const refresh =
      offline && client.grant_types.includes('refresh_token')
        ? issued.issue({ ...given, use: 'refresh_token' }, lifespanOf(client, type, 'refresh', REFRESH_TOKEN_SECONDS))
        : undefined;
    const lifespanSeconds = lifespanOf(client, type, 'id', ID_TOKEN_SECONDS);
    const { value: accessToken, issuedAt } = access;
    return protocolJson(200, {
      access_token: accessToken,
      expires_in: access.expiresAt - issuedAt,
      id_token: consent.scopes.includes('openid')
        ? idTokens(consent, { clientId, accessToken, nonce, issuedAt, lifespanSeconds })
        : undefined,
      refresh_token: refresh?.value,
      scope: given.scope,
      token_type: 'bearer',
    });
  };

  const exchanges: Record<GrantType, Exchange> = {
    authorization_code: (client, form) => {
      const value = form.get('code') ?? '';
      const code = codes.find(value);
      if (code === undefined) throw invalidGrant();
      if (code.consumed !== undefined) {
        issued.removeOfConsent(code.grantId);
        throw invalidGrant('The authorization code has already been used.');
      }
      if (code.clientId !== client.client_id)
        throw invalidGrant(
          'The OAuth 2.0 Client ID from this request does not match the one from the authorize request.',
        );
      if (code.redirectUri !== form.get('redirect_uri'))
        throw invalidGrant("The 'redirect_uri' from this request does not match the one from the authorize request.");
      if (code.codeChallenge !== undefined || client.token_endpoint_auth_method === 'none') {
        codes.tryChallenge(value);
        checkVerifier(code, form.get('code_verifier') ?? '');
      }
      codes.consume(value);
      return grant(client, 'authorization_code', code.grantId, code.nonce);
    },
    refresh_token: (client, form) => {
      const token = issued.find(form.get('refresh_token') ?? '');
      if (token?.use !== 'refresh_token' || token.consentId === undefined)
        throw invalidGrant('The refresh token is malformed or not valid.');
      if (token.clientId !== client.client_id)
        throw invalidGrant(
          'The OAuth 2.0 Client ID from this request does not match the ID during the initial token issuance.',
        );
      if (token.spent) {
        issued.removeOfConsent(token.consentId);
        throw invalidGrant('The refresh token was already used.');
      }
      issued.spend(token.value);
      issued.removeOfConsent(token.consentId, 'access_token');
      return grant(client, 'refresh_token', token.consentId);
    },
    client_credentials: (client, form) => {
      if (client.token_endpoint_auth_method === 'none')
        throw invalidGrant(
          "The OAuth 2.0 Client is marked as public and is thus not allowed to use authorization grant 'client_credentials'.",
        );
      const scope = form.get('scope') ?? '';
      const allowed = client.scope.split(' ');
      const denied = scope.split(' ').find((name) => name !== '' && !allowed.includes(name));
      if (denied !== undefined) throw invalidScope(`The OAuth 2.0 Client is not allowed to request scope '${denied}'.`);
      const { value, issuedAt, expiresAt } = issued.issue(
        { use: 'access_token', clientId: client.client_id, consentId: undefined, scope },
        lifespanOf(client, 'client_credentials', 'access', accessTokenTtlSeconds),
      );
      return protocolJson(200, {
        access_token: value,
        expires_in: expiresAt - issuedAt,
        scope,
        token_type: 'bearer',
      });
    },
  };

  return route(
    'POST',
    '/oauth2/token',
    protocolRoute(async (call) => {
      const form = protocolForm(call);
      if (form.size === 0) throw invalidRequest(EMPTY_BODY);
      const type = form.get('grant_type');
      if (!type) throw invalidRequest("Request parameter 'grant_type' is missing");
      const client = await authenticatedClient(call, form, clients, NO_CLIENT);
      const exchange = Object.hasOwn(exchanges, type) ? exchanges[type as GrantType] : undefined;
      if (exchange === undefined) throw invalidRequest(CHECK_PARAMETERS);
      const isPublic = client.token_endpoint_auth_method === 'none';
      if (!client.grant_types.includes(type) && !(isPublic && type === 'client_credentials'))
        throw unauthorizedClient(`The OAuth 2.0 Client is not allowed to use authorization grant '${type}'.`);
      return exchange(client, form);
    }),
  );
}

const NO_CLIENT = 'Client credentials missing or malformed in both HTTP Authorization header and HTTP POST body.';

/** In seconds: the client's own lifespan, else the server's default. */
function lifespanOf(
  client: ClientDocument,
  type: GrantType,
  token: 'access' | 'id' | 'refresh',
  otherwise: number,
): number {
  const registered = parseDuration(client[`${type}_grant_${token}_token_lifespan`] ?? '');
  return registered === undefined ? otherwise : Math.floor(registered / 1000);
}

/** Proof Key for Code Exchange (RFC 7636, section 4.6), S256 only. */
function checkVerifier({ codeChallenge, challengeTried }: AuthorizationCode, verifier: string): void {
  if (codeChallenge === undefined || challengeTried !== undefined)
    throw invalidGrant('Unable to find initial PKCE data tied to this request');
  if (verifier.length < 43) throw invalidGrant('The PKCE code verifier must be at least 43 characters.');
  if (verifier.length > 128) throw invalidGrant('The PKCE code verifier can not be longer than 128 characters.');
  if (!/^[\w.~-]+$/.test(verifier))
    throw invalidGrant("The PKCE code verifier must only contain [a-Z], [0-9], '-', '.', '_', '~'.");
  if (createHash('sha256').update(verifier).digest('base64url') !== codeChallenge)
    throw invalidGrant('The PKCE code challenge did not match the code verifier.');
}

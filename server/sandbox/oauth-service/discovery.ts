import type { JsonWebKey } from 'node:crypto';
import type { AdapterPayload } from 'oidc-provider';
import { type Answer, type Call, type Handler, json, type Route, route } from '../http.ts';
import type { IdentityStore } from '../identity-service/identity-store.ts';
import type { ClientDocument } from './client-input.ts';
import type { ClientStore } from './clients.ts';
import type { ConsentStore } from './consents.ts';
import { CHECK_PARAMETERS, errorBody, protocolRoute, unrecognizable } from './oauth-errors.ts';
import { authenticatedClient, protocolForm } from './token-endpoint.ts';
import { consentTimes, type IssuedTokens } from './tokens.ts';

/** Scopes that the provider knows; others would make the client invalid. */
const KNOWN_SCOPES = ['openid', 'offline_access', 'offline', 'email', 'profile'];

/**
 * A registered client in the OpenID provider's format, for authorization only; undefined if it does not use codes. The
 * provider requires a secret, but never compares it.
 */
export function openidClient(document: ClientDocument): AdapterPayload | undefined {
  const { client_id, client_name, redirect_uris, token_endpoint_auth_method: method } = document;
  if (!document.grant_types.includes('authorization_code')) return undefined;
  const scope = document.scope
    .split(' ')
    .filter((name) => KNOWN_SCOPES.includes(name))
    .join(' ');
  return {
    client_id,
    client_name: client_name || client_id,
    ...(method === 'none' ? {} : { client_secret: 'compared elsewhere' }),
    application_type: redirect_uris.some((uri) => !/^https?:/.test(uri)) ? 'native' : 'web',
    token_endpoint_auth_method: method === 'none' ? 'none' : 'client_secret_basic',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    redirect_uris,
    ...(scope === '' ? {} : { scope }),
  };
}

export interface UserinfoOptions {
  /** The OAuth server's base URL, without trailing slash. */
  issuer: string;
  issued: IssuedTokens;
  consents: ConsentStore;
  identities: IdentityStore;
}

/**
 * `/userinfo`, and `/oauth2/userinfo`, where deployments often expose it: the claims of the sign-in, whatever the
 * scopes; for a token without a user, the client. Stricter than Hydra, it refuses tokens of identities that are
 * deactivated or deleted.
 */
export function userinfoRoutes({ issuer, issued, consents, identities }: UserinfoOptions): Route[] {
  const answer: Handler = (call) => {
    const token = issued.find(bearerOf(call));
    if (token === undefined) return unauthorized();
    if (token.use === 'refresh_token')
      return refusal(
        'invalid_token',
        'Only access tokens are allowed in the authorization header.',
        errorBody(unrecognizable()),
      );
    const about = { aud: [token.clientId], iat: token.issuedAt, iss: issuer };
    if (token.consentId === undefined) return json(200, about);
    const consent = consents.find(token.consentId);
    if (consent === undefined || identities.find(consent.subject)?.state !== 'active') return unauthorized();
    const { claims, acr, amr, subject } = consent;
    return json(200, { ...claims, acr, amr, ...about, ...consentTimes(consent), sub: subject });
  };
  return ['/userinfo', '/oauth2/userinfo'].flatMap((path) => [route('GET', path, answer), route('POST', path, answer)]);
}

/** From the header, the form or the query (RFC 6750, section 2). */
function bearerOf(call: Call): string {
  const header = /^bearer +(\S+)$/i.exec(call.headers.authorization ?? '')?.[1];
  return header ?? protocolForm(call).get('access_token') ?? call.query.get('access_token') ?? '';
}

const unauthorized = (): Answer => {
  const [error, description] = [
    'request_unauthorized',
    'The request could not be authorized. Check that you provided valid credentials in the right format.',
  ];
  return refusal(error, description, { error, error_description: description });
};

const refusal = (error: string, description: string, body: Record<string, string>): Answer =>
  json(401, body, {
    'Content-Type': 'application/json',
    'WWW-Authenticate': `Bearer error="${error}",error_description="${description}"`,
  });

/**
 * `POST /oauth2/revoke` (RFC 7009): revokes a client's token and the others of the same sign-in; the consent remains.
 * Unknown tokens, and those of other clients, are 200, too.
 */
export const revocationRoute = (clients: ClientStore, issued: IssuedTokens): Route =>
  route(
    'POST',
    '/oauth2/revoke',
    protocolRoute(async (call) => {
      const form = protocolForm(call);
      const { client_id } = await authenticatedClient(call, form, clients, CHECK_PARAMETERS);
      const token = issued.find(form.get('token') ?? '');
      if (token?.clientId === client_id) {
        issued.remove(token.value);
        if (token.consentId !== undefined) issued.removeOfConsent(token.consentId);
      }
      return { status: 200, headers: { 'Cache-Control': 'no-store' } };
    }),
  );

/**
 * The discovery documents, with all that Hydra's advertise, which is more than the sandbox implements (devices, logout,
 * credentials), and the public key of id tokens.
 */
export function discoveryRoutes(issuer: string, signingKey: JsonWebKey & { kid?: string }): Route[] {
  const document = {
    issuer,
    authorization_endpoint: `${issuer}/oauth2/auth`,
    device_authorization_endpoint: `${issuer}/oauth2/device/auth`,
    token_endpoint: `${issuer}/oauth2/token`,
    jwks_uri: `${issuer}/.well-known/jwks.json`,
    subject_types_supported: ['public'],
    response_types_supported: ['code', 'code id_token', 'id_token', 'token id_token', 'token', 'token id_token code'],
    claims_supported: ['sub', 'email', 'email_verified', 'name', 'role', 'traits'],
    grant_types_supported: [
      'authorization_code',
      'implicit',
      'client_credentials',
      'refresh_token',
      'urn:ietf:params:oauth:grant-type:device_code',
    ],
    response_modes_supported: ['query', 'fragment', 'form_post'],
    userinfo_endpoint: `${issuer}/userinfo`,
    scopes_supported: ['offline_access', 'offline', 'openid', 'profile', 'email'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'client_secret_basic', 'private_key_jwt', 'none'],
    userinfo_signing_alg_values_supported: ['none', 'RS256'],
    id_token_signing_alg_values_supported: ['RS256'],
    id_token_signed_response_alg: ['RS256'],
    userinfo_signed_response_alg: ['RS256'],
    request_parameter_supported: true,
    request_uri_parameter_supported: true,
    require_request_uri_registration: true,
    claims_parameter_supported: false,
    revocation_endpoint: `${issuer}/oauth2/revoke`,
    backchannel_logout_supported: true,
    backchannel_logout_session_supported: true,
    frontchannel_logout_supported: true,
    frontchannel_logout_session_supported: true,
    end_session_endpoint: `${issuer}/oauth2/sessions/logout`,
    request_object_signing_alg_values_supported: ['none', 'RS256', 'ES256'],
    code_challenge_methods_supported: ['plain', 'S256'],
    credentials_endpoint_draft_00: `${issuer}/credentials`,
    credentials_supported_draft_00: [
      {
        format: 'jwt_vc_json',
        types: ['VerifiableCredential', 'UserInfoCredential'],
        cryptographic_binding_methods_supported: ['jwk'],
        cryptographic_suites_supported: [
          'PS256',
          'RS256',
          'ES256',
          'PS384',
          'RS384',
          'ES384',
          'PS512',
          'RS512',
          'ES512',
          'EdDSA',
        ],
      },
    ],
  };
  const { use, kty, kid, alg, n, e } = signingKey;
  return [
    ...['openid-configuration', 'oauth-authorization-server'].map((name) =>
      route('GET', `/.well-known/${name}`, () => json(200, document)),
    ),
    route('GET', '/.well-known/jwks.json', () => json(200, { keys: [{ use, kty, kid, alg, n, e }] })),
  ];
}

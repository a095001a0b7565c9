import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { isObject } from '../go/json.ts';
import type { ClientInput } from './client-input.ts';
import { invalidClientMetadata, invalidRedirectUri } from './oauth-errors.ts';

const SECRET_MIN_CHARACTERS = 6;
const USERINFO_ALGORITHMS = ['none', 'RS256'];
const TOKEN_STRATEGIES = ['opaque', 'jwt'];

/** The rules for all clients. @throws OauthServiceError 400 */
export function checkClient(input: ClientInput): void {
  checkKeys(input);
  const { client_secret: secret, subject_type: subjectType, access_token_strategy: strategy } = input;
  if (secret && secret.length < SECRET_MIN_CHARACTERS)
    throw invalidClientMetadata(
      `Field client_secret must contain a secret that is at least ${SECRET_MIN_CHARACTERS} characters long.`,
    );
  for (const origin of input.allowed_cors_origins ?? []) checkOrigin(origin);
  if (input.sector_identifier_uri && !input.sector_identifier_uri.startsWith('https://'))
    throw invalidClientMetadata('Value of sector_identifier_uri must be an HTTPS URL but it is not.');
  if (input.userinfo_signed_response_alg && !USERINFO_ALGORITHMS.includes(input.userinfo_signed_response_alg))
    throw invalidClientMetadata("Field userinfo_signed_response_alg can either be 'none' or 'RS256'.");
  for (const field of ['client_uri', 'policy_uri', 'logo_uri', 'tos_uri'] as const)
    if (input[field] && !URL.canParse(input[field])) throw invalidClientMetadata(`Field ${field} must be a valid URI.`);
  checkRedirects(input);
  if (subjectType && subjectType !== 'public')
    throw invalidClientMetadata(`Subject type ${subjectType} is not supported by server, only [public] are allowed.`);
  if (strategy && !TOKEN_STRATEGIES.includes(strategy))
    throw invalidClientMetadata(`invalid access token strategy: '${strategy}'`);
}

function checkKeys({ token_endpoint_auth_method, jwks, jwks_uri }: ClientInput): void {
  const keys = isObject(jwks) && Array.isArray(jwks.keys) ? jwks.keys : undefined;
  if (token_endpoint_auth_method === 'private_key_jwt' && !jwks_uri && keys === undefined)
    throw invalidClientMetadata(
      "When token_endpoint_auth_method is 'private_key_jwt', either jwks or jwks_uri must be set.",
    );
  if (jwks_uri && keys !== undefined)
    throw invalidClientMetadata('Fields jwks and jwks_uri can not both be set, you must choose one.');
  if (keys?.some((key) => !isKey(key))) throw invalidClientMetadata('Invalid JSON web key in set.');
}

function isKey(key: unknown): boolean {
  if (!isObject(key)) return false;
  if (key.kty === 'oct') return typeof key.k === 'string' && key.k !== '';
  try {
    createPublicKey({ key: key as JsonWebKey, format: 'jwk' });
    return true;
  } catch {
    return false;
  }
}

function checkOrigin(origin: string): void {
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  if (url === undefined || (url.protocol !== 'https:' && url.protocol !== 'http:'))
    throw invalidClientMetadata(`Origin URL ${origin} must use https:// or http:// as HTTP scheme.`);
  if (url.username !== '' || url.password !== '')
    throw invalidClientMetadata(`Origin URL ${origin} has HTTP user and/or password set which is not allowed.`);
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '')
    throw invalidClientMetadata(
      `Origin URL ${origin} must have an empty path, query, and fragment but one of the parts is not empty.`,
    );
}

function checkRedirects({ redirect_uris = [], post_logout_redirect_uris = [] }: ClientInput): void {
  if (redirect_uris.some((uri) => uri.includes('#')))
    throw invalidRedirectUri(
      'The value of one or more redirect_uris is invalid. Redirect URIs must not contain fragments (#).',
    );
  const origins = redirect_uris.filter((uri) => URL.canParse(uri)).map(originOf);
  for (const uri of post_logout_redirect_uris)
    if (!URL.canParse(uri) || !origins.includes(originOf(uri)))
      throw invalidClientMetadata(
        `post_logout_redirect_uri '${uri}' must match the domain, port, scheme of at least one of the registered redirect URIs but did not`,
      );
}

/** Scheme, host and port, since URLs with an app's scheme have no origin. */
const originOf = (uri: string): string => {
  const { protocol, host } = new URL(uri);
  return `${protocol}//${host}`;
};

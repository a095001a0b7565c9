import { isObject, membersOf } from '../../../shared/json.ts';
import { formatDuration, JsonError, parseDuration, parseJson, typeName, wrongType } from '../formats.ts';
import { invalidClientMetadata, invalidRedirectUri, malformedRequest } from './oauth-errors.ts';

const SECRET_MIN_CHARACTERS = 6;

/** Hydra's rules for clients, without those that the dashboard's form never breaks. @throws OauthServiceError 400 */
export function checkClient(input: ClientInput): void {
  const { client_secret: secret, subject_type: subjectType } = input;
  if (secret && secret.length < SECRET_MIN_CHARACTERS)
    throw invalidClientMetadata(
      `Field client_secret must contain a secret that is at least ${SECRET_MIN_CHARACTERS} characters long.`,
    );
  for (const field of ['client_uri', 'policy_uri', 'logo_uri', 'tos_uri'] as const)
    if (input[field] && !URL.canParse(input[field])) throw invalidClientMetadata(`Field ${field} must be a valid URI.`);
  const hasKeys = input.jwks_uri || Array.isArray(membersOf(input.jwks).keys);
  if (input.token_endpoint_auth_method === 'private_key_jwt' && !hasKeys)
    throw invalidClientMetadata(
      "When token_endpoint_auth_method is 'private_key_jwt', either jwks or jwks_uri must be set.",
    );
  checkRedirects(input);
  if (subjectType && subjectType !== 'public')
    throw invalidClientMetadata(`Subject type ${subjectType} is not supported by server, only [public] are allowed.`);
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

const LIFESPANS = [
  'authorization_code_grant_access_token_lifespan',
  'authorization_code_grant_id_token_lifespan',
  'authorization_code_grant_refresh_token_lifespan',
  'client_credentials_grant_access_token_lifespan',
  'implicit_grant_access_token_lifespan',
  'implicit_grant_id_token_lifespan',
  'jwt_bearer_grant_access_token_lifespan',
  'refresh_token_grant_id_token_lifespan',
  'refresh_token_grant_access_token_lifespan',
  'refresh_token_grant_refresh_token_lifespan',
  'device_authorization_grant_id_token_lifespan',
  'device_authorization_grant_access_token_lifespan',
  'device_authorization_grant_refresh_token_lifespan',
] as const;

/** Lists that are null in the response to a write in which they were missing. */
export const NULLABLE_LISTS = ['redirect_uris', 'grant_types', 'response_types', 'contacts'] as const;

const NONE: string[] = [];
/** Hydra's values of members that a request omits. */
const DEFAULTS = {
  client_name: '',
  redirect_uris: NONE,
  grant_types: NONE,
  response_types: NONE,
  scope: 'offline_access offline openid',
  audience: NONE,
  owner: '',
  policy_uri: '',
  allowed_cors_origins: NONE,
  tos_uri: '',
  client_uri: '',
  logo_uri: '',
  contacts: NONE,
  subject_type: 'public',
  token_endpoint_auth_method: 'client_secret_basic',
  userinfo_signed_response_alg: 'none',
  skip_consent: false,
};
/** Other members of a client, each with a value of its type. */
const EXAMPLES = {
  client_id: '',
  client_secret: '',
  sector_identifier_uri: '',
  jwks_uri: '',
  token_endpoint_auth_signing_alg: '',
  request_object_signing_alg: '',
  frontchannel_logout_uri: '',
  frontchannel_logout_session_required: false,
  backchannel_logout_uri: '',
  backchannel_logout_session_required: false,
  access_token_strategy: '',
  request_uris: NONE,
  post_logout_redirect_uris: NONE,
  skip_logout_consent: false,
};
const MEMBERS = new Map<string, unknown>(Object.entries({ ...DEFAULTS, ...EXAMPLES }));

/** A client in a request; unknown members are ignored. */
export type ClientInput = Partial<
  typeof DEFAULTS & typeof EXAMPLES & Record<(typeof LIFESPANS)[number], string> & Record<'jwks' | 'metadata', unknown>
>;

/** @throws OauthServiceError 400 with the decoder's message */
export function parseClient(text: string): ClientInput {
  try {
    return typedClient(parseJson(text));
  } catch (error) {
    throw error instanceof JsonError ? malformedRequest(`Unable to decode the request body: ${error.message}`) : error;
  }
}

/** The known members, type-checked. @throws JsonError */
export function typedClient(value: unknown): ClientInput {
  if (!isObject(value)) throw wrongType(value, 'value of type client.Client');
  const input: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) {
    if (member === null || member === undefined) continue;
    if (name === 'metadata' || name === 'jwks') input[name] = member;
    else if (LIFESPANS.some((lifespan) => lifespan === name)) input[name] = lifespanOf(member);
    else if (MEMBERS.has(name)) {
      const type = goTypeOf(MEMBERS.get(name));
      if (goTypeOf(member) !== type) throw wrongType(member, `struct field Client.${name} of type ${type}`);
      input[name] = member;
    }
  }
  return input as ClientInput;
}

/** Hydra's type for such values. */
function goTypeOf(value: unknown): string {
  const isTextList = Array.isArray(value) && value.every((item) => typeof item === 'string');
  return isTextList ? 'sqlxx.StringSliceJSONFormat' : typeName(value);
}

function lifespanOf(value: unknown): string {
  const duration = parseDuration(String(value));
  if (duration === undefined) throw new JsonError(`time: invalid duration '${value}'`);
  return formatDuration(duration);
}

/** A client as returned by the admin port, without its secret. */
export type ClientDocument = ReturnType<typeof composeClient>;

/**
 * Builds a client from the input, with defaults for everything that it omits.
 * @param id the client's id, which overrides any in the input
 * @param at the current time, ISO 8601
 */
export function composeClient(id: string, input: ClientInput, createdAt: string, at: string) {
  const { client_secret: _hashed, ...given } = input;
  const lifespans = Object.fromEntries(LIFESPANS.map((name) => [name, input[name] ?? null])) as Record<
    (typeof LIFESPANS)[number],
    string | null
  >;
  return {
    ...DEFAULTS,
    client_secret_expires_at: 0,
    jwks: {},
    metadata: {},
    skip_logout_consent: null as boolean | null,
    ...given,
    ...lifespans,
    client_id: id,
    created_at: createdAt,
    updated_at: at,
  };
}

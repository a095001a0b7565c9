import { formatDuration, parseDuration } from '../go/duration.ts';
import { decodeJson, GoJsonError, goTypeOf, isObject } from '../go/json.ts';
import { type ClientDocument, LIFESPANS } from './client-document.ts';
import { decodedKeys } from './client-keys.ts';
import { malformedClient } from './oauth-errors.ts';

/** A client in a request; unknown members are ignored. */
export type ClientInput = Partial<Omit<ClientDocument, 'created_at' | 'updated_at'>> & { client_secret?: string };

const TEXTS = [
  'client_id',
  'client_name',
  'client_secret',
  'scope',
  'owner',
  'policy_uri',
  'tos_uri',
  'client_uri',
  'logo_uri',
  'subject_type',
  'sector_identifier_uri',
  'jwks_uri',
  'token_endpoint_auth_method',
  'token_endpoint_auth_signing_alg',
  'request_object_signing_alg',
  'userinfo_signed_response_alg',
  'frontchannel_logout_uri',
  'backchannel_logout_uri',
  'access_token_strategy',
];
const LISTS = [
  'redirect_uris',
  'grant_types',
  'response_types',
  'audience',
  'allowed_cors_origins',
  'contacts',
  'request_uris',
  'post_logout_redirect_uris',
];
const FLAGS = [
  'skip_consent',
  'skip_logout_consent',
  'frontchannel_logout_session_required',
  'backchannel_logout_session_required',
];

/** @throws OauthServiceError 400 with the decoder's message */
export function parseClient(text: string): ClientInput {
  try {
    return typedClient(decodeJson(text));
  } catch (error) {
    throw error instanceof GoJsonError ? malformedClient(error.message) : error;
  }
}

/** The known members, type-checked. @throws GoJsonError */
export function typedClient(value: unknown): ClientInput {
  if (!isObject(value))
    throw new GoJsonError(`json: cannot unmarshal ${goTypeOf(value)} into Go value of type client.Client`);
  const input: Record<string, unknown> = {};
  const keep = (name: string, fits: boolean, type: string) => {
    if (!fits)
      throw new GoJsonError(
        `json: cannot unmarshal ${goTypeOf(value[name])} into Go struct field Client.${name} of type ${type}`,
      );
    input[name] = value[name];
  };
  for (const [name, member] of Object.entries(value)) {
    if (member === null || member === undefined) continue;
    if (TEXTS.includes(name)) keep(name, typeof member === 'string', 'string');
    else if (LISTS.includes(name)) keep(name, isTextList(member), 'sqlxx.StringSliceJSONFormat');
    else if (FLAGS.includes(name)) keep(name, typeof member === 'boolean', 'bool');
    else if (name === 'metadata') input[name] = member;
    else if (name === 'jwks') input[name] = decodedKeys(member);
    else if (LIFESPANS.some((lifespan) => lifespan === name)) input[name] = lifespanOf(member);
  }
  return input as ClientInput;
}

const isTextList = (value: unknown): boolean => Array.isArray(value) && value.every((item) => typeof item === 'string');

function lifespanOf(value: unknown): string {
  const duration = parseDuration(String(value));
  if (duration === undefined) throw new GoJsonError(`time: invalid duration '${value}'`);
  return formatDuration(duration);
}

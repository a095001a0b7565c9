import { isObject, type JsonObject, texts } from '../../../shared/json.ts';
import type { Problems } from '../../record/record-form.tsx';
import { CLIENT_FIELDS, type ClientField, fieldLabel, isListKind } from './client-fields.ts';
import { goSeconds } from './client-members.ts';

/**
 * Why the OAuth server would reject a client, as far as a browser can find out. Includes wrong types, because Hydra
 * gives no reason if it cannot decode a patch.
 */
export function problemsOf(members: JsonObject): Problems {
  const problems: Record<string, string> = {};
  for (const field of CLIENT_FIELDS) {
    const problem = problemOfField(field, members[field.name]);
    if (problem !== undefined) problems[`/${field.name}`] = problem;
  }
  return { ...problemsBetween(members), ...problems };
}

function problemOfField({ name, kind, choices }: ClientField, value: unknown): string | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  if (isListKind(kind)) {
    if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) return 'Must be a list of strings.';
    const problems = value.map((item) => [item, problemOfItem(name, kind, item)] as const);
    const found = problems.find(([, problem]) => problem !== undefined);
    return found?.join(': ');
  }
  if (kind === 'flag') return typeof value === 'boolean' ? undefined : 'Must be true or false.';
  if (kind === 'json') return name === 'jwks' ? keySetProblem(value) : undefined;
  if (typeof value !== 'string') return 'Must be text.';
  if (kind === 'duration') return durationProblem(value);
  if (kind === 'address') return addressProblem(name, value);
  if (kind === 'choice' && !choices.some(([choice]) => choice === value))
    return `The OAuth server may not support “${value}”.`;
  return undefined;
}

/** @returns a text that follows the entry and a colon */
function problemOfItem(name: string, kind: ClientField['kind'], item: string): string | undefined {
  if (kind === 'origins') return originProblem(item);
  if (kind !== 'addresses') return undefined;
  // A request object's URL may end in a # and the hash of its content (OpenID Connect Core 1.0, 6.2).
  if (name !== 'request_uris' && item.includes('#')) return 'must not contain a #.';
  return URL.canParse(item) ? undefined : 'is not an absolute address.';
}

function originProblem(origin: string): string | undefined {
  if (!URL.canParse(origin) || !/^https?:/i.test(origin)) return 'is not an http or https origin.';
  const { pathname, search, username } = new URL(origin);
  return pathname === '/' && search === '' && username === '' && !origin.includes('*')
    ? undefined
    : 'must consist of scheme, host and port only.';
}

function addressProblem(name: string, value: string): string | undefined {
  if (!URL.canParse(value) || !/^https?:/i.test(value)) return 'This is not an http or https address.';
  if (name === 'sector_identifier_uri' && !/^https:/i.test(value)) return 'Must be an https address.';
  return undefined;
}

function durationProblem(value: string): string | undefined {
  if (goSeconds(value) !== undefined) return undefined;
  return /\d\s*d/i.test(value)
    ? 'Days are not supported: write 30 days as 720h.'
    : 'Write a duration such as 30s, 15m, 1h30m or 720h.';
}

/** Private parameters of JSON Web Keys (RFC 7518, 6). */
const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k', 'oth'];

function keySetProblem(value: unknown): string | undefined {
  if (isObject(value) && Object.keys(value).length === 0) return undefined;
  if (!isObject(value) || !Array.isArray(value.keys) || !value.keys.every((key) => isObject(key) && 'kty' in key))
    return 'Enter {"keys": […]}, in which each key has a "kty".';
  return value.keys.some((key: JsonObject) => PRIVATE_MEMBERS.some((name) => name in key))
    ? 'This contains a private key, which only the application may have. Enter the public key only.'
    : undefined;
}

function problemsBetween(members: JsonObject): Problems {
  const problems: Record<string, string> = {};
  const has = (name: string): boolean => typeof members[name] === 'string' && members[name] !== '';
  const keys = isObject(members.jwks) && Object.keys(members.jwks).length > 0;
  if (has('jwks_uri') && keys)
    problems['/jwks_uri'] = 'Set either the address of the keys or the keys themselves, not both.';
  if (members.token_endpoint_auth_method === 'private_key_jwt' && !has('jwks_uri') && !keys)
    problems['/jwks_uri'] = 'Public keys are required to verify what the application signs.';
  const sites = new Set(texts(members.redirect_uris).map(siteOf));
  const elsewhere = texts(members.post_logout_redirect_uris).find((address) => !sites.has(siteOf(address)));
  if (elsewhere !== undefined)
    problems['/post_logout_redirect_uris'] = `${elsewhere}: no redirect address has this scheme, host and port.`;
  if (texts(members.grant_types).includes('authorization_code') && texts(members.redirect_uris).length === 0)
    problems['/redirect_uris'] = 'The authorization code grant needs at least one.';
  return problems;
}

/** Scheme, host and port. Unlike `origin`, also works for app schemes. */
function siteOf(address: string): string {
  if (!URL.canParse(address)) return address;
  const { protocol, hostname, port } = new URL(address);
  return `${protocol}//${hostname}:${port}`;
}

export const originsOf = (addresses: unknown): string[] => [
  ...new Set(
    texts(addresses).flatMap((one) => (/^https?:/i.test(one) && URL.canParse(one) ? [new URL(one).origin] : [])),
  ),
];

/** Problems with members that can only be set at creation, or not at all. */
export function identityProblems(members: JsonObject, id: string | undefined): Problems {
  const { client_id, client_secret } = members;
  const problems: Record<string, string> = {};
  if (client_secret !== undefined && client_secret !== '')
    problems['/client_secret'] = 'A secret cannot be entered here: a new one is generated and shown once.';
  if (id !== undefined) {
    if (client_id !== undefined && client_id !== id) problems['/client_id'] = 'The ID of a client cannot be changed.';
  } else if (client_id !== undefined && client_id !== '') {
    if (typeof client_id !== 'string') problems['/client_id'] = 'Must be text.';
    else if (client_id === '.' || client_id === '..') problems['/client_id'] = 'This ID cannot be part of a URL.';
    else if (/\p{C}/u.test(client_id)) problems['/client_id'] = 'This ID contains invisible characters.';
    else if (client_id.length > 255) problems['/client_id'] = 'At most 255 characters.';
  }
  return problems;
}

/** The text before the reason in Hydra's error messages about clients. */
const PREAMBLE = /^.*Client's Metadata\. /s;

/** The problem that an OAuth server error reports for a member; undefined if the error names no member. */
export function problemsIn(message: string): Problems | undefined {
  const reason = message.replace(PREAMBLE, '');
  // Longest name first, so that jwks does not match jwks_uri. Hydra names a single entry of a list in the singular.
  const names = CLIENT_FIELDS.map(({ name }) => name).sort((a, b) => b.length - a.length);
  const named = names.find((name) => reason.includes(name.replace(/s$/, '')));
  return named === undefined ? undefined : { [`/${named}`]: reason };
}

export const problemLabel = (pointer: string): string => fieldLabel(pointer.split('/')[1] ?? '') || 'The client';

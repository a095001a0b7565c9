import { isObject, type JsonObject } from '../../../shared/json.ts';
import type { OauthClient } from '../../api/oauth-clients.ts';
import { jsonProblems } from '../../record/json-editor.tsx';
import { sameJson } from '../../record/member-changes.ts';
import { DraftRefused } from '../../record/record-form.tsx';
import { isListKind, kindOfField } from './client-fields.ts';

/** The members may contain invalid JSON as text. */
export interface ClientDraft {
  members: unknown;
}

export const sameDraft = (a: ClientDraft, b: ClientDraft): boolean =>
  isObject(a.members) &&
  isObject(b.members) &&
  jsonProblems(a.members) === undefined &&
  sameJson(documentOf(a.members), documentOf(b.members));

/** A draft that is safe to store in the browser; undefined for invalid JSON, which may contain a secret. */
export function withoutSecrets({ members }: ClientDraft): ClientDraft | undefined {
  if (!isObject(members) || jsonProblems(members) !== undefined) return undefined;
  // The token is in the response to a registration, which may have been pasted.
  const { client_secret: _secret, registration_access_token: _token, ...others } = members;
  return { members: others };
}

/**
 * The members of the draft. Trims changed values, and removes empty lines.
 * @throws DraftRefused if the draft is not a JSON object
 */
export function membersIn({ members }: ClientDraft, stored: JsonObject = {}): JsonObject {
  const problems = jsonProblems(members);
  if (problems !== undefined) throw new DraftRefused(problems, true);
  if (!isObject(members)) throw new DraftRefused({ '': 'Enter a JSON object.' }, true);
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [name, sameJson(value, stored[name]) ? value : tidied(name, value)]),
  );
}

function tidied(name: string, value: unknown): unknown {
  const kind = kindOfField(name);
  if (typeof value === 'string' && kind === 'scope') return value.trim().split(/\s+/).join(' ');
  if (typeof value === 'string' && kind !== undefined) return value.trim();
  if (!Array.isArray(value) || !isListKind(kind)) return value;
  return value.map((item) => (typeof item === 'string' ? item.trim() : item)).filter((item) => item !== '');
}

/** Never edited: members that the OAuth server sets or that other requests change. */
const NOT_EDITED = new Set([
  'client_id',
  'client_secret',
  'client_secret_expires_at',
  'created_at',
  'updated_at',
  'registration_access_token',
  'registration_client_uri',
]);

/** The members that an edit compares. Empty members count as absent, as in the OAuth server. */
export const documentOf = (client: OauthClient | JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(client).filter(([name, value]) => !NOT_EDITED.has(name) && !isEmpty(value)));

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

/** The empty value of a member. A patch that removes the member instead may leave its value unchanged. */
export function emptyMember(name: string): unknown {
  const kind = kindOfField(name);
  if (kind === undefined) return undefined;
  if (isListKind(kind)) return [];
  if (kind === 'flag') return false;
  if (kind === 'json') return {};
  return kind === 'duration' ? null : '';
}

import type { JsonObject } from '../../../../shared/json.ts';
import { isObject } from '../../../../shared/json.ts';
import type { OauthClient } from '../../../api/oauth-client-record.ts';
import { isListKind, kindOfField } from '../client-fields.ts';

/** Set by the OAuth server, or changed by other means: never part of an edit. */
const NOT_EDITED = new Set([
  'client_id',
  'client_secret',
  'client_secret_expires_at',
  'created_at',
  'updated_at',
  'registration_access_token',
  'registration_client_uri',
]);

/** The members that an edit compares. Empty ones count as absent, as they do for the OAuth server. */
export const documentOf = (client: OauthClient | JsonObject): JsonObject =>
  Object.fromEntries(Object.entries(client).filter(([name, value]) => !NOT_EDITED.has(name) && !isEmpty(value)));

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === '' ||
  value === false ||
  (Array.isArray(value) && value.length === 0) ||
  (isObject(value) && Object.keys(value).length === 0);

/** The empty value of a member. Merely removing a member in a patch may keep its value. */
export function emptyMember(name: string): unknown {
  const kind = kindOfField(name);
  if (kind === undefined) return undefined;
  if (isListKind(kind)) return [];
  if (kind === 'flag') return false;
  if (kind === 'json') return {};
  return kind === 'duration' ? null : '';
}

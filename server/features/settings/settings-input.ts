import {
  SETTING_CATEGORY_MAX_CHARACTERS,
  SETTING_KEY_MAX_CHARACTERS,
  SETTING_VALUE_MAX_BYTES,
  type SettingInput,
} from '../../../shared/settings.ts';
import { isBearerKey } from '../../../shared/upstreams.ts';
import { badRequest } from '../../http/api-error.ts';
import { bodyFields, booleanField, labelField, textField } from '../../http/json-fields.ts';

const UPSTREAM_KEY = /^upstream\..*\.api_key$/s;
/** Settings that hold a credential: read access to the database must not reveal it. */
const ALWAYS_ENCRYPTED = [UPSTREAM_KEY, /^social\..*\.client_secret$/s];

/** Whether a setting is stored encrypted regardless of the request. */
export const isAlwaysEncrypted = (key: string): boolean => ALWAYS_ENCRYPTED.some((pattern) => pattern.test(key));

/** @throws 400 that names the problem; `.` and `..` could not be addressed, since paths are normalised */
export function parseSettingKey(value: unknown): string {
  const key = labelField('key', value, SETTING_KEY_MAX_CHARACTERS);
  if (key === '.' || key === '..') throw badRequest('key', 'must not be . or ..');
  return key;
}

/** @throws 400 that names the field */
export const parseSettingValue = (value: unknown): string => textField('value', value, SETTING_VALUE_MAX_BYTES);

/** Parses the body of `POST /api/settings` (docs/api.md#settings). @throws 400 that names the field */
export function parseSettingInput(body: unknown): SettingInput {
  const fields = bodyFields(body, ['key', 'value', 'encrypted', 'category']);
  const input: SettingInput = { key: parseSettingKey(fields.key), value: parseSettingValue(fields.value) };
  if (fields.encrypted !== undefined) input.encrypted = booleanField('encrypted', fields.encrypted);
  if (fields.category !== undefined)
    input.category =
      fields.category === null ? null : labelField('category', fields.category, SETTING_CATEGORY_MAX_CHARACTERS);
  if (input.encrypted === false && isAlwaysEncrypted(input.key))
    throw badRequest('encrypted', 'must not be false for this key, which holds a credential');
  if (UPSTREAM_KEY.test(input.key) && !isBearerKey(input.value))
    throw badRequest('value', 'must be printable ASCII without spaces, since it is sent in a header');
  return input;
}

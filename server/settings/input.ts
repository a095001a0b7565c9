import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Request } from 'express';
import {
  isAlwaysEncrypted,
  isUpstreamKey,
  SETTING_CATEGORY_MAX_CHARACTERS,
  SETTING_KEY_MAX_CHARACTERS,
  SETTING_VALUE_MAX_BYTES,
  type Setting,
  type SettingInput,
} from '../../shared/settings.ts';
import { isBearerKey } from '../../shared/upstreams.ts';
import { bodyFields, booleanField, labelField, textField } from '../http/bodies.ts';
import { ApiError, badRequest } from '../http/errors.ts';
import { ifMatch } from '../http/parameters.ts';

/** @throws 400 that names the problem. `.` and `..` could not be addressed, since paths are normalised. */
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
  if (isUpstreamKey(input.key) && !isBearerKey(input.value))
    throw badRequest('value', 'must be printable ASCII without spaces, since it is sent in a header');
  return input;
}

/** Whether plain text is requested. @throws 400 */
export function decryptParameter({ query }: Pick<Request, 'query'>): boolean {
  const decrypt = onceParameter(query, 'decrypt');
  if (decrypt !== undefined && decrypt !== 'true' && decrypt !== 'false')
    throw badRequest('decrypt', 'must be true or false');
  return decrypt === 'true';
}

/** @throws 400 for a repeated parameter */
export function onceParameter(query: Request['query'], name: string): string | undefined {
  const value = query[name];
  if (value !== undefined && typeof value !== 'string') throw badRequest(name, 'must be given once');
  return value;
}

/** What must be stored for a change to be made: nothing (`create`), or a setting with a matching entity tag. */
export type SettingPrecondition = 'create' | ((tag: string) => boolean);

/**
 * A strong entity tag (RFC 9110, section 8.8.3) of a setting as stored. For an encrypted one, each write makes a new
 * tag.
 */
export function settingTag({ value, encrypted, category, updated_at }: Setting): string {
  const text = JSON.stringify([value, encrypted, category, updated_at]);
  return `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
}

/** `If-None-Match: *`, otherwise `If-Match` (RFC 9110, section 13.1); undefined without either. */
export function preconditionOf(headers: IncomingHttpHeaders): SettingPrecondition | undefined {
  if (headers['if-none-match']?.trim() === '*') return 'create';
  return headers['if-match'] === undefined ? undefined : ifMatch(headers['if-match']);
}

/** @throws ApiError `precondition_failed` */
export function assertMet(precondition: SettingPrecondition | undefined, stored: Setting | undefined): void {
  if (precondition === undefined) return;
  if (precondition !== 'create') {
    if (stored === undefined || !precondition(settingTag(stored))) throw new ApiError('precondition_failed');
  } else if (stored !== undefined)
    throw new ApiError('precondition_failed', { message: 'A setting with this key already exists.' });
}

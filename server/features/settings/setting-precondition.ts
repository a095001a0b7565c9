import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { Setting } from '../../../shared/settings.ts';
import { ApiError } from '../../http/api-error.ts';
import { ifMatch } from '../../http/if-match.ts';

/** What must be stored for a change to be made: nothing (`create`), or a setting with a matching entity tag. */
export type SettingPrecondition = 'create' | ((tag: string) => boolean);

/** A strong entity tag (RFC 9110, section 8.8.3) of a setting as stored: of an encrypted one each write makes another. */
export function settingTag({ value, encrypted, category, updated_at }: Setting): string {
  const text = JSON.stringify([value, encrypted, category, updated_at]);
  return `"${hash('sha256', text, 'base64url').slice(0, 22)}"`;
}

/** `If-None-Match: *`, else `If-Match` (RFC 9110, section 13.1); undefined for neither. */
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

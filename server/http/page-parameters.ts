import { PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX, PAGE_TOKEN_MAX_CHARACTERS } from '../../shared/identities.ts';
import { ApiError } from './api-error.ts';

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/** Parses the query parameter `page_size`. @throws 400 `invalid_page_size` */
export function pageSizeParameter(value: unknown): number {
  if (value === undefined) return PAGE_SIZE_DEFAULT;
  // Digits only: no sign, space, fraction or exponent.
  const size = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (size < 1 || size > PAGE_SIZE_MAX) throw new ApiError('invalid_page_size');
  return size;
}

/** Parses the query parameter `page_token`. @throws 400 `invalid_page_token` */
export const pageTokenParameter = (value: unknown): string | undefined =>
  textParameter(value, PAGE_TOKEN_MAX_CHARACTERS, () => new ApiError('invalid_page_token'));

/**
 * Parses a text parameter without control characters; an empty one counts as absent. Characters are Unicode code
 * points. A repeated parameter is an array and is refused.
 */
export function textParameter(value: unknown, maxCharacters: number, refusal: () => ApiError): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string' || CONTROL_CHARACTERS.test(value) || [...value].length > maxCharacters) throw refusal();
  return value;
}

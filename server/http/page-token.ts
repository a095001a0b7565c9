import { ApiError } from './api-error.ts';

/** A page token of our own: where the next page begins, opaque to clients. */
export const pageTokenOf = (parts: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify(parts)).toString('base64url');

/**
 * What a page token was made of; anyone may have made it, so that each part has to be checked.
 * @throws 400 `invalid_page_token`
 */
export function partsOfPageToken(token: string): unknown[] {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(token, 'base64url').toString());
  } catch (cause) {
    throw new ApiError('invalid_page_token', { cause });
  }
  if (!Array.isArray(parts)) throw new ApiError('invalid_page_token');
  return parts;
}

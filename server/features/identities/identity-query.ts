import {
  CREDENTIALS_IDENTIFIER_MAX_CHARACTERS,
  PAGE_SIZE_DEFAULT,
  PAGE_SIZE_MAX,
  PAGE_TOKEN_MAX_CHARACTERS,
} from '../../../shared/identities.ts';
import { ApiError, badRequest } from '../../http/api-error.ts';

/** A checked question to the identity store. */
export interface IdentityQuery {
  pageSize: number;
  pageToken: string | undefined;
  credentialsIdentifier: string | undefined;
  /** Never together with the whole one. */
  credentialsIdentifierPrefix: string | undefined;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/;

/**
 * Checks the query of `GET /api/identities` (sections 4.4 and 8). An empty token or identifier counts as absent,
 * as it does upstream.
 * @throws 400 `invalid_page_size`, `invalid_page_token`, `invalid_credentials_identifier`, or `bad_request` for a whole
 * identifier together with the beginning of one
 */
export function parseIdentityQuery(query: Record<string, unknown>): IdentityQuery {
  const checked = {
    pageSize: pageSize(query.page_size),
    pageToken: text(query.page_token, PAGE_TOKEN_MAX_CHARACTERS, 'invalid_page_token'),
    credentialsIdentifier: identifier(query, 'credentials_identifier'),
    credentialsIdentifierPrefix: identifier(query, 'credentials_identifier_prefix'),
  };
  if (checked.credentialsIdentifier !== undefined && checked.credentialsIdentifierPrefix !== undefined)
    throw badRequest('credentials_identifier_prefix', 'must not be sent together with credentials_identifier');
  return checked;
}

const identifier = (
  query: Record<string, unknown>,
  name: 'credentials_identifier' | 'credentials_identifier_prefix',
): string | undefined =>
  text(
    query[name],
    CREDENTIALS_IDENTIFIER_MAX_CHARACTERS,
    'invalid_credentials_identifier',
    `${name} must have at most ${CREDENTIALS_IDENTIFIER_MAX_CHARACTERS} characters and no control characters.`,
  );

function pageSize(value: unknown): number {
  if (value === undefined) return PAGE_SIZE_DEFAULT;
  // Digits only: no sign, blank, fraction or exponent.
  const size = typeof value === 'string' && /^\d{1,3}$/.test(value) ? Number(value) : 0;
  if (size < 1 || size > PAGE_SIZE_MAX) throw new ApiError('invalid_page_size');
  return size;
}

/** Characters are Unicode code points. A repeated parameter arrives as a list and is refused. */
function text(
  value: unknown,
  maxCharacters: number,
  code: 'invalid_page_token' | 'invalid_credentials_identifier',
  message?: string,
): string | undefined {
  if (value === undefined || value === '') return undefined;
  if (typeof value !== 'string' || CONTROL_CHARACTERS.test(value) || [...value].length > maxCharacters)
    throw new ApiError(code, message === undefined ? {} : { message });
  return value;
}

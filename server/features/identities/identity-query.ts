import { CREDENTIALS_IDENTIFIER_MAX_CHARACTERS } from '../../../shared/identities.ts';
import { ApiError, badRequest } from '../../http/api-error.ts';
import { pageSizeParameter, pageTokenParameter, textParameter } from '../../http/page-parameters.ts';

/** A validated query for the identity store. */
export interface IdentityQuery {
  pageSize: number;
  pageToken: string | undefined;
  credentialsIdentifier: string | undefined;
  /** Never set together with `credentialsIdentifier`. */
  credentialsIdentifierPrefix: string | undefined;
}

/**
 * Validates the query of `GET /api/identities` (docs/api.md#identities). An empty token or identifier counts as absent,
 * as it does upstream.
 * @throws 400 `invalid_page_size`, `invalid_page_token`, `invalid_credentials_identifier`, or `bad_request` for both an
 * identifier and a prefix
 */
export function parseIdentityQuery(query: Record<string, unknown>): IdentityQuery {
  const checked = {
    pageSize: pageSizeParameter(query.page_size),
    pageToken: pageTokenParameter(query.page_token),
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
  textParameter(
    query[name],
    CREDENTIALS_IDENTIFIER_MAX_CHARACTERS,
    () =>
      new ApiError('invalid_credentials_identifier', {
        message: `${name} must have at most ${CREDENTIALS_IDENTIFIER_MAX_CHARACTERS} characters and no control characters.`,
      }),
  );

import { CREDENTIALS_IDENTIFIER_MAX_CHARACTERS } from '../../../shared/identities.ts';
import { ApiError } from '../../http/api-error.ts';
import { pageSizeParameter, pageTokenParameter, textParameter } from '../../http/page-parameters.ts';

/** A checked question to the identity store. */
export interface IdentityQuery {
  pageSize: number;
  pageToken: string | undefined;
  credentialsIdentifier: string | undefined;
}

/**
 * Checks the query of `GET /api/identities` (sections 4.4 and 8). An empty token or identifier counts as absent,
 * as it does upstream.
 * @throws 400 `invalid_page_size`, `invalid_page_token` or `invalid_credentials_identifier`
 */
export const parseIdentityQuery = (query: Record<string, unknown>): IdentityQuery => ({
  pageSize: pageSizeParameter(query.page_size),
  pageToken: pageTokenParameter(query.page_token),
  credentialsIdentifier: textParameter(
    query.credentials_identifier,
    CREDENTIALS_IDENTIFIER_MAX_CHARACTERS,
    () => new ApiError('invalid_credentials_identifier'),
  ),
});

import { ApiError } from '../../http/api-error.ts';
import { pageSizeParameter, pageTokenParameter } from '../../http/page-parameters.ts';
import { partsIn } from '../../identity-index/page-token.ts';
import { wordsParameter } from '../../identity-index/words-parameter.ts';

/** A validated question to the index of clients. */
export interface ClientSearchQuery {
  /** All clients without it. */
  text: string | undefined;
  size: number;
  /** The id of the last client of the page before. */
  after: string | undefined;
}

/**
 * Validates the query of `GET /api/oauth-clients/search`.
 * @throws 400 that names the parameter, `invalid_page_size` or `invalid_page_token`
 */
export const parseClientSearchQuery = (query: Record<string, unknown>): ClientSearchQuery => ({
  text: wordsParameter('q', query['q']),
  size: pageSizeParameter(query['page_size']),
  after: idIn(pageTokenParameter(query['page_token'])),
});

function idIn(token: string | undefined): string | undefined {
  if (token === undefined) return undefined;
  const [id, ...rest] = partsIn(token);
  if (typeof id !== 'string' || rest.length > 0) throw new ApiError('invalid_page_token');
  return id;
}

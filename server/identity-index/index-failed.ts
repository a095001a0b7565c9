import { ApiError } from '../http/api-error.ts';
import { NothingRead, QuestionTooLong } from './identity-index.ts';

/**
 * What a route answers where the index does not: 400 `search_not_supported` while nothing is known, 504 for a question
 * that takes too long. Any other error is returned as it is.
 * @param what is sought, in the plural
 */
export function indexFailed(error: unknown, what: string): unknown {
  if (error instanceof NothingRead)
    return new ApiError('search_not_supported', { message: `The ${what} have not been read yet. Try again later.` });
  if (error instanceof QuestionTooLong)
    return new ApiError('gateway_timeout', { message: 'The question took too long. Narrow it.' });
  return error;
}

import { ApiError } from '../http/api-error.ts';
import { questionFailed } from '../upstream/upstream-failure.ts';
import { NothingRead, QuestionTooLong } from './identity-index.ts';
import { IndexBusy } from './turns.ts';

const TOO_LONG = 'The question took too long. Narrow it.';
const BUSY = 'Too many searches are waiting. Try again in a few seconds.';

/**
 * The error of a search: without an index, 400 `search_not_supported`; where too many wait, 503. Any other error is
 * returned as it is.
 * @param what was sought, in the plural
 */
export function searchFailed(error: unknown, what = 'identities'): unknown {
  if (error instanceof NothingRead)
    return new ApiError('search_not_supported', {
      message: `The ${what} have not been read yet. Try again later.`,
      cause: error,
    });
  if (error instanceof IndexBusy)
    return new ApiError('service_unavailable', { message: BUSY, headers: { 'Retry-After': '3' } });
  return error instanceof QuestionTooLong ? new ApiError('gateway_timeout', { message: TOO_LONG }) : error;
}

/** The error of a count: where nothing has been read, that of reading. Any other error is returned as it is. */
export function countFailed(error: unknown): unknown {
  if (error instanceof NothingRead)
    return error.cause === undefined ? new ApiError('gateway_timeout', { cause: error }) : questionFailed(error.cause);
  return searchFailed(error);
}

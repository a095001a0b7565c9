import type { JsonObject } from '../../../../shared/json.ts';
import { createClient } from '../../../api/oauth-client-record.ts';
import { ConnectionError, RequestError, reworded } from '../../../api/request-error.ts';
import { documentOf } from './client-document.ts';

/**
 * Creates a client from the form's values.
 * @param id empty or undefined to let the OAuth server choose one
 * @returns also the generated secret, which cannot be read again
 */
export const makeClient = (members: JsonObject, id: unknown) =>
  createClient({ ...documentOf(members), ...(id === '' || id === undefined ? {} : { client_id: id }) }).catch(inDoubt);

/** Without a response, a client may have been created whose secret is lost. */
function inDoubt(error: Error): never {
  const lost =
    error instanceof ConnectionError || (error instanceof RequestError && [500, 502, 504].includes(error.status));
  if (!lost) throw error;
  throw reworded(
    error,
    `${error.message} The client may have been created: check the list before you try again. If it is there, rotate its secret.`,
  );
}

import type { JsonObject } from '../../../../shared/json.ts';
import { createClient } from '../../../api/oauth-client-record.ts';
import { ConnectionError, RequestError, reworded } from '../../../api/request-error.ts';
import { documentOf } from './client-document.ts';

/**
 * Creates a client of what stands in a form.
 * @param id undefined or empty for one that the OAuth server makes
 * @returns also the secret, where the server made one: nobody is told it again
 */
export const makeClient = (members: JsonObject, id: unknown) =>
  createClient({ ...documentOf(members), ...(id === '' || id === undefined ? {} : { client_id: id }) }).catch(inDoubt);

/** Without an answer there may be a client, and its secret is lost. */
function inDoubt(error: Error): never {
  const lost =
    error instanceof ConnectionError || (error instanceof RequestError && [500, 502, 504].includes(error.status));
  if (!lost) throw error;
  throw reworded(
    error,
    `${error.message} The client may exist: look for it in the list before you try again. If it is there, rotate its secret.`,
  );
}

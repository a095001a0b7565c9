import { GoJsonError } from '../go/json.ts';
import { JsonPatchError } from '../go/json-patch.ts';
import { type Answer, json } from '../http/answer.ts';
import { BodyTooLarge } from '../http/call.ts';

/** What a route throws to answer an error in the OAuth service's form. */
export class OauthServiceError extends Error {
  readonly status: number;
  readonly error: string;
  readonly description: string;

  constructor(status: number, error: string, description: string) {
    super(error);
    this.status = status;
    this.error = error;
    this.description = description;
  }
}

const MALFORMED = 'The request was malformed or contained invalid parameters';

export const malformedRequest = (description: string): OauthServiceError =>
  new OauthServiceError(400, MALFORMED, description);

export const malformedClient = (reason: string): OauthServiceError =>
  malformedRequest(`Unable to decode the request body: ${reason}`);

export const clientNotFound = (): OauthServiceError => new OauthServiceError(404, 'Unable to locate the resource', '');

export const clientExists = (): OauthServiceError =>
  new OauthServiceError(
    409,
    'Unable to insert or update resource because a resource with that value exists already',
    '',
  );

export const invalidRedirectUri = (description: string): OauthServiceError =>
  new OauthServiceError(400, 'invalid_redirect_uri', description);

export const invalidClientMetadata = (reason: string): OauthServiceError =>
  new OauthServiceError(
    400,
    'invalid_client_metadata',
    `The value of one of the Client Metadata fields is invalid and the server has rejected this request. Note that an Authorization Server MAY choose to substitute a valid value for any requested parameter of a Client's Metadata. ${reason}`,
  );

export function oauthErrorAnswer(error: unknown): Answer {
  const { status, error: name, description } = known(error);
  return json(status, { error: name, error_description: description }, { 'Content-Type': 'application/json' });
}

function known(error: unknown): OauthServiceError {
  if (error instanceof OauthServiceError) return error;
  if (error instanceof BodyTooLarge) return malformedClient(error.message);
  if (!(error instanceof GoJsonError || error instanceof JsonPatchError))
    process.emitWarning(error instanceof Error ? error : String(error));
  // What the real service says of whatever it did not expect, a patch that does not apply included.
  return new OauthServiceError(500, 'error', 'The error is unrecognizable');
}

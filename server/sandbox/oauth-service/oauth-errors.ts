import { GoJsonError } from '../go.ts';
import { type Answer, BodyTooLarge, type Call, type Handler, html, json, text } from '../http.ts';
import { JsonPatchError } from '../json-patch.ts';

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

/** Both lists' error for an invalid page token; Hydra replaces double quotes by apostrophes. */
export const unreadablePage = (problem: string): string =>
  `Unable to parse pagination parameters: ${problem.replaceAll('"', "'")}`;

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

/** An error of RFC 6749: its standard sentence, and a hint for this case. */
const standard = (status: number, error: string, sentence: string) => (hint?: string) =>
  new OauthServiceError(status, error, hint === undefined ? sentence : `${sentence} ${hint}`);

export const invalidRequest = standard(
  400,
  'invalid_request',
  'The request is missing a required parameter, includes an invalid parameter value, includes a parameter more than once, or is otherwise malformed.',
);
export const invalidClient = standard(
  401,
  'invalid_client',
  'Client authentication failed (e.g., unknown client, no client authentication included, or unsupported authentication method).',
);
export const invalidGrant = standard(
  400,
  'invalid_grant',
  'The provided authorization grant (e.g., authorization code, resource owner credentials) or refresh token is invalid, expired, revoked, does not match the redirection URI used in the authorization request, or was issued to another client.',
);
export const invalidScope = standard(400, 'invalid_scope', 'The requested scope is invalid, unknown, or malformed.');
export const unauthorizedClient = standard(
  400,
  'unauthorized_client',
  'The client is not authorized to request a token using this method.',
);

export const EMPTY_BODY = 'The POST body can not be empty.';
export const CHECK_PARAMETERS =
  'Make sure that the various parameters are correct, be aware of case sensitivity and trim your parameters. Make sure that the client you are using has exactly whitelisted the redirect_uri you specified.';

const PROTOCOL_HEADERS = { 'Content-Type': 'application/json;charset=UTF-8', 'Cache-Control': 'no-store' };

/** A response of the OAuth protocol, which must not be cached. */
export const protocolJson = (status: number, value: unknown): Answer => json(status, value, PROTOCOL_HEADERS);

/** A route of the OAuth protocol, whose errors must not be cached either. */
export const protocolRoute =
  (handle: Handler): Handler =>
  async (call) => {
    try {
      return await handle(call);
    } catch (error) {
      if (!(error instanceof OauthServiceError)) throw error;
      return protocolJson(error.status, errorBody(error));
    }
  };

export function oauthErrorAnswer(error: unknown): Answer {
  const found = known(error);
  return json(found.status, errorBody(found), { 'Content-Type': 'application/json' });
}

export const errorBody = ({ error, description }: OauthServiceError): Record<string, string> => ({
  error,
  error_description: description,
});

/** Hydra's response to unexpected errors, including a patch that does not apply. */
export const unrecognizable = (status = 500): OauthServiceError =>
  new OauthServiceError(status, 'error', 'The error is unrecognizable');

function known(error: unknown): OauthServiceError {
  if (error instanceof OauthServiceError) return error;
  if (error instanceof BodyTooLarge) return malformedClient(error.message);
  if (!(error instanceof GoJsonError || error instanceof JsonPatchError))
    process.emitWarning(error instanceof Error ? error : String(error));
  return unrecognizable();
}

const REASON = 'The requested route does not exist. Make sure you are using the right path, domain, and port.';

/** Hydra's 404 on the public port: an HTML page unless the client accepts something else. */
export function unknownRoute({ headers }: Call): Answer {
  const accept = headers.accept ?? '';
  if (accept.includes('application/json'))
    return json(404, { error: { code: 404, message: 'Not Found', reason: REASON } });
  if (accept.includes('text/plain')) return text(404, `Error 404 - ${REASON}`);
  return html(
    404,
    `<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>Not found</title></head>\n<body><h1>Not found</h1><p>${REASON}</p></body>\n</html>\n`,
  );
}

import type { ErrorRequestHandler, Response } from 'express';
import { JsonError } from '../formats.ts';
import { sendJson } from '../http.ts';

export class OauthServiceError extends Error {
  readonly status: number;
  readonly error: string;
  readonly description: string;
  /** What is special in this case. */
  readonly hint: string | undefined;

  constructor(status: number, error: string, description: string, hint?: string) {
    super(error);
    this.status = status;
    this.error = error;
    this.description = description;
    this.hint = hint;
  }
}

export const malformedRequest = (description: string): OauthServiceError =>
  new OauthServiceError(400, 'The request was malformed or contained invalid parameters', description);

/** The error of both lists for an invalid page token; Hydra replaces double quotes with apostrophes. */
export const unreadablePage = (problem: string): string =>
  `Unable to parse pagination parameters: ${problem.replaceAll('"', "'")}`;

export const unauthorized = (): OauthServiceError =>
  new OauthServiceError(401, 'The request could not be authorized', 'The API key is missing or wrong.');

export const clientNotFound = (): OauthServiceError => new OauthServiceError(404, 'Unable to locate the resource', '');

export const clientExists = (): OauthServiceError =>
  new OauthServiceError(
    409,
    'Unable to insert or update resource because a resource with that value exists already',
    '',
  );

export const invalidRedirectUri = (description: string): OauthServiceError =>
  new OauthServiceError(400, 'invalid_redirect_uri', description);

/** An error of RFC 6749: its standard sentence, and a hint for this case. */
const standard = (status: number, error: string, sentence: string) => (hint?: string) =>
  new OauthServiceError(status, error, hint === undefined ? sentence : `${sentence} ${hint}`, hint);

export const invalidClientMetadata = standard(
  400,
  'invalid_client_metadata',
  "The value of one of the Client Metadata fields is invalid and the server has rejected this request. Note that an Authorization Server MAY choose to substitute a valid value for any requested parameter of a Client's Metadata.",
);
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

const PROTOCOL_TYPE = 'application/json;charset=UTF-8';

/** Sends a response of the OAuth protocol, which must not be cached. */
export function sendProtocol(res: Response, status: number, value: unknown): void {
  res.set('Cache-Control', 'no-store');
  sendJson(res, status, PROTOCOL_TYPE, value);
}

/** Handles errors of the OAuth protocol's routes, which must not be cached either. */
export const protocolErrors: ErrorRequestHandler = (error: unknown, _req, res, next) => {
  if (error instanceof OauthServiceError) sendProtocol(res, error.status, errorBody(error));
  else next(error);
};

export const oauthErrors: ErrorRequestHandler = (error: unknown, _req, res, _next) => {
  const found = asServiceError(error);
  sendJson(res, found.status, 'application/json', errorBody(found));
};

export const errorBody = ({ error, description }: OauthServiceError): Record<string, string> => ({
  error,
  error_description: description,
});

/** Hydra's response to unexpected errors, including a patch that does not apply. */
export const unrecognizable = (status = 500): OauthServiceError =>
  new OauthServiceError(status, 'error', 'The error is unrecognizable');

function asServiceError(error: unknown): OauthServiceError {
  if (error instanceof OauthServiceError) return error;
  if (!(error instanceof JsonError)) process.emitWarning(error instanceof Error ? error : String(error));
  return unrecognizable();
}

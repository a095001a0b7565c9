import type { ErrorRequestHandler, Request } from 'express';
import { isObject } from '../../../shared/json.ts';
import { JsonError, parseJson, wrongType } from '../formats.ts';
import { bodyOf, sendJson } from '../http.ts';

/** The members of an error body, in Kratos' order. */
interface ErrorMembers {
  code: number;
  status: string;
  reason?: string;
  message: string;
}

export class IdentityServiceError extends Error {
  /** The HTTP status; `members.code` differs from it in a few responses. */
  readonly status: number;
  readonly members: ErrorMembers;

  constructor(status: number, members: ErrorMembers) {
    super(members.message);
    this.status = status;
    this.members = members;
  }
}

const standard = (code: number, status: string, message: string, reason?: string): IdentityServiceError =>
  new IdentityServiceError(code, { code, status, reason, message });

const MALFORMED = 'The request was malformed or contained invalid parameters';

export const malformed = (reason: string, message = MALFORMED) => standard(400, 'Bad Request', message, reason);

/** A 400 with only a message, as Kratos sends for errors of its libraries. */
export const badMessage = (message: string) => standard(400, 'Bad Request', message);

/** A body with the code 500 and another status, as Kratos sends for messages, batches and pending migrations. */
const disguised = (status: number) => (message: string) =>
  new IdentityServiceError(status, { code: 500, status: 'Internal Server Error', message });
export const badDisguised = disguised(400);
export const unready = disguised(503);

export const notFound = (reason?: string) => standard(404, 'Not Found', 'Unable to locate the resource', reason);

export const noSuchResource = (reason: string) =>
  standard(404, 'Not Found', 'The requested resource could not be found', reason);

export const unauthorized = () =>
  standard(401, 'Unauthorized', 'The request could not be authorized', 'The API key is missing or wrong.');

export const conflict = () =>
  standard(409, 'Conflict', 'Unable to insert or update resource because a resource with that value exists already');

export const conflictOnCreate = () =>
  standard(
    409,
    'Conflict',
    'The resource could not be created due to a conflict',
    'This identity conflicts with another identity that already exists.',
  );

export const identityErrors: ErrorRequestHandler = (error: unknown, req, res, _next) => {
  const { status, members } = asServiceError(error);
  const { code, status: name, reason, message } = members;
  res.set('Ory-Error-Id', '');
  const body = { error: { code, status: name, request: req.get('X-Request-Id'), reason, message } };
  sendJson(res, status, 'application/json', body);
};

function asServiceError(error: unknown): IdentityServiceError {
  if (error instanceof IdentityServiceError) return error;
  if (error instanceof JsonError) return badMessage(error.message);
  process.emitWarning(error instanceof Error ? error : String(error));
  return standard(
    500,
    'Internal Server Error',
    'An internal server error occurred, please contact the system administrator',
  );
}

/** The body of a route that requires a JSON object, unknown members included. @throws IdentityServiceError 400 */
export function requiredBody(req: Request): Record<string, unknown> {
  const text = bodyOf(req);
  if (text === '')
    throw malformed('Unable to decode HTTP Request Body because its HTTP Header "Content-Length" is zero.');
  if (!req.is('application/json'))
    throw malformed(
      `HTTP ${req.method} Request used unknown HTTP Header "Content-Type: ${req.get('Content-Type') ?? ''}", only [application/json] are supported.`,
    );
  try {
    const value = parseJson(text);
    if (isObject(value)) return value;
    throw wrongType(value, 'value');
  } catch (error) {
    if (error instanceof JsonError) throw malformed(`Unable to decode JSON payload: ${error.message}`);
    throw error;
  }
}

import { GoJsonError } from '../../go/json.ts';
import { type Answer, json } from '../../http/answer.ts';
import { BodyTooLarge } from '../../http/call.ts';

/** The members of an error body, in Kratos' order. */
interface ErrorMembers {
  id?: string;
  code: number;
  status: string;
  request?: string;
  reason?: string;
  details?: Record<string, unknown>;
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

const MALFORMED = 'The request was malformed or contained invalid parameters';

/** 400 with a reason. */
export const malformed = (reason: string, message = MALFORMED, id?: string): IdentityServiceError =>
  new IdentityServiceError(400, { id, code: 400, status: 'Bad Request', reason, message });

/** 400 with only a message, as Kratos passes on errors of its libraries. */
export const badMessage = (message: string): IdentityServiceError =>
  new IdentityServiceError(400, { code: 400, status: 'Bad Request', message });

/** 400 whose body says 500, as for the newer lists and the batch. */
export const badDisguised = (message: string): IdentityServiceError =>
  new IdentityServiceError(400, { code: 500, status: 'Internal Server Error', message });

export const notFound = (reason?: string): IdentityServiceError =>
  new IdentityServiceError(404, { code: 404, status: 'Not Found', reason, message: 'Unable to locate the resource' });

export const noSuchResource = (reason: string): IdentityServiceError =>
  new IdentityServiceError(404, {
    code: 404,
    status: 'Not Found',
    reason,
    message: 'The requested resource could not be found',
  });

export const unauthorized = (reason: string): IdentityServiceError =>
  new IdentityServiceError(401, {
    code: 401,
    status: 'Unauthorized',
    reason,
    message: 'The request could not be authorized',
  });

export const conflict = (): IdentityServiceError =>
  new IdentityServiceError(409, {
    code: 409,
    status: 'Conflict',
    message: 'Unable to insert or update resource because a resource with that value exists already',
  });

export const conflictOnCreate = (): IdentityServiceError =>
  new IdentityServiceError(409, {
    code: 409,
    status: 'Conflict',
    reason: 'This identity conflicts with another identity that already exists.',
    message: 'The resource could not be created due to a conflict',
  });

/** 503 of a service with pending migrations; its body says 500. */
export const unready = (message: string): IdentityServiceError =>
  new IdentityServiceError(503, { code: 500, status: 'Internal Server Error', message });

/** @param requestId the request's `X-Request-Id`, echoed in the body */
export function identityErrorAnswer(error: unknown, requestId: string | undefined): Answer {
  const { status, members } = known(error);
  const { id, code, status: name, reason, details, message } = members;
  const body = { error: { id, code, status: name, request: requestId, reason, details, message } };
  return json(status, body, { 'Content-Type': 'application/json', 'Ory-Error-Id': id ?? '' });
}

function known(error: unknown): IdentityServiceError {
  if (error instanceof IdentityServiceError) return error;
  if (error instanceof BodyTooLarge || error instanceof GoJsonError) return badMessage(error.message);
  process.emitWarning(error instanceof Error ? error : String(error));
  const message = 'An internal server error occurred, please contact the system administrator';
  return new IdentityServiceError(500, { code: 500, status: 'Internal Server Error', message });
}

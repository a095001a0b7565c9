import { json } from '../http/answer.js';
import { BodyTooLarge } from '../http/call.js';
/** What a route throws to answer an error in the identity service's form. */
export class IdentityServiceError extends Error {
  /** The HTTP status; `members.code` differs from it in a few answers. */
  status;
  members;
  constructor(status, members) {
    super(members.message);
    this.status = status;
    this.members = members;
  }
}
const MALFORMED = 'The request was malformed or contained invalid parameters';
/** 400 that gives a reason. */
export const malformed = (reason, message = MALFORMED, id) =>
  new IdentityServiceError(400, { id, code: 400, status: 'Bad Request', reason, message });
/** 400 with a bare message, as errors of libraries below come out. */
export const badMessage = (message) => new IdentityServiceError(400, { code: 400, status: 'Bad Request', message });
/** 400 whose body says 500, as of the newer lists and the batch. */
export const badDisguised = (message) =>
  new IdentityServiceError(400, { code: 500, status: 'Internal Server Error', message });
export const notFound = (reason) =>
  new IdentityServiceError(404, { code: 404, status: 'Not Found', reason, message: 'Unable to locate the resource' });
export const noSuchResource = (reason) =>
  new IdentityServiceError(404, {
    code: 404,
    status: 'Not Found',
    reason,
    message: 'The requested resource could not be found',
  });
export const unauthorized = (reason) =>
  new IdentityServiceError(401, {
    code: 401,
    status: 'Unauthorized',
    reason,
    message: 'The request could not be authorized',
  });
export const conflict = () =>
  new IdentityServiceError(409, {
    code: 409,
    status: 'Conflict',
    message: 'Unable to insert or update resource because a resource with that value exists already',
  });
export const conflictOnCreate = () =>
  new IdentityServiceError(409, {
    code: 409,
    status: 'Conflict',
    reason: 'This identity conflicts with another identity that already exists.',
    message: 'The resource could not be created due to a conflict',
  });
/** @param requestId the request's `X-Request-Id`, which comes back in the body */
export function identityErrorAnswer(error, requestId) {
  const { status, members } = known(error);
  const { id, code, status: name, reason, details, message } = members;
  const body = { error: { id, code, status: name, request: requestId, reason, details, message } };
  return json(status, body, { 'Content-Type': 'application/json', 'Ory-Error-Id': id ?? '' });
}
function known(error) {
  if (error instanceof IdentityServiceError) return error;
  if (error instanceof BodyTooLarge) return badMessage(error.message);
  const message = 'An internal server error occurred, please contact the system administrator';
  return new IdentityServiceError(500, { code: 500, status: 'Internal Server Error', message });
}

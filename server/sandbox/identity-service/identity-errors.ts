import { type Answer, json } from '../http/answer.ts';

/** What a route throws to answer an error in the identity service's form. */
export class IdentityServiceError extends Error {
  readonly status: number;
  readonly error: ErrorMembers;

  constructor(status: number, error: ErrorMembers) {
    super(error.message);
    this.status = status;
    this.error = error;
  }
}

interface ErrorMembers {
  id?: string;
  code: number;
  status: string;
  reason?: string;
  details?: Record<string, unknown>;
  message: string;
}

export const notFound = (): IdentityServiceError =>
  new IdentityServiceError(404, { code: 404, status: 'Not Found', message: 'Unable to locate the resource' });

export function identityErrorAnswer(error: unknown): Answer {
  const { status, error: members } =
    error instanceof IdentityServiceError
      ? error
      : {
          status: 500,
          error: { code: 500, status: 'Internal Server Error', message: 'An internal server error occurred' },
        };
  return json(status, { error: members }, { 'Content-Type': 'application/json', 'Ory-Error-Id': members.id ?? '' });
}

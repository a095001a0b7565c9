import type { SignInFailure } from '../../../shared/session.ts';

/** A sign-in that ended without a session; the operator is told the reason. */
export class SignInFailed extends Error {
  readonly reason: SignInFailure;
  /** The refused identity, if known, for the audit record. */
  readonly identityId: string | undefined;

  constructor(reason: SignInFailure, identityId?: string, cause?: unknown) {
    super(`sign-in failed: ${reason}`, { cause });
    this.name = 'SignInFailed';
    this.reason = reason;
    this.identityId = identityId;
  }

  /** For the log, which includes only names and codes of errors. */
  get code(): string {
    return this.reason;
  }
}

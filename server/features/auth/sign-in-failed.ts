import type { SignInFailure } from '../../../shared/session.ts';

/** A sign-in that ends without a session, for a reason the operator is told. */
export class SignInFailed extends Error {
  readonly reason: SignInFailure;
  /** The identity that was refused, where it is known: for the audit record. */
  readonly identityId: string | undefined;

  constructor(reason: SignInFailure, identityId?: string, cause?: unknown) {
    super(`sign-in failed: ${reason}`, { cause });
    this.name = 'SignInFailed';
    this.reason = reason;
    this.identityId = identityId;
  }

  /** For the log, which shows names and codes of errors. */
  get code(): string {
    return this.reason;
  }
}

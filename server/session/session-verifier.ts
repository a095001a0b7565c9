import type { IncomingMessage } from 'node:http';
import type { OperatorCheck } from './operator-check.ts';
import { sessionCookieOf } from './session-cookie.ts';
import type { Session, SessionTokens } from './session-token.ts';

/**
 * The result of verifying a request's cookie. `stale`: no session, and the cookie is to be deleted. `none`: no session
 * and nothing to delete (no cookie, or two different ones, either of which might be the right one).
 */
export type SessionVerdict = Session | 'none' | 'stale';

export type SessionVerifier = (req: IncomingMessage) => Promise<SessionVerdict>;

/** Verifies signature, deployment, expiry, revocation, and whether the operator still exists, in this order. */
export function sessionVerifier(
  tokens: SessionTokens,
  revocations: { isRevoked(session: Session): boolean },
  operatorCheck: Pick<OperatorCheck, 'isPresent'>,
): SessionVerifier {
  return async (req) => {
    const cookie = sessionCookieOf(req);
    if (cookie === undefined || typeof cookie === 'object') return 'none';
    const session = tokens.read(cookie);
    if (session === undefined || revocations.isRevoked(session)) return 'stale';
    return (await operatorCheck.isPresent(session.identityId)) ? session : 'stale';
  };
}

import type { Role } from '../../shared/capabilities.ts';
import type { Deployment } from '../../shared/upstreams.ts';
import { BoundedMap } from '../caches.ts';
import type { Signer } from '../crypto/signer.ts';

/** The contents of the signed cookie (docs/api.md#sign-in-and-session). Times are seconds since the epoch. */
export interface Session {
  identityId: string;
  email: string;
  role: Role;
  deployment: Deployment;
  issuedAt: number;
  expiresAt: number;
  sessionId: string;
  /** The identity's epoch at sign-in: raising it ends the session. */
  epoch: number;
  /** Where the operator comes from (`signInSource` in config.ts); none with AUTH_URL. */
  source?: string;
}

const SHORT_SECONDS = 30 * 60;

/** The length of a session in minutes if an OpenID provider allows less than half an hour; otherwise undefined. */
export const shortMinutes = ({ issuedAt, expiresAt, source }: Session): number | undefined =>
  source !== undefined && expiresAt - issuedAt < SHORT_SECONDS ? Math.round((expiresAt - issuedAt) / 60) : undefined;

/** Verified tokens need no second HMAC; the limit keeps a flood of sign-ins from exhausting memory. */
const REMEMBERED_MAX = 5000;

/**
 * @param signer HMAC with SESSION_SIGNING_KEY itself; all other signatures use derived keys
 * @param expected.roles those of this installation; a session with another role is not valid
 * @param expected.source where operators come from; sessions from elsewhere are not valid
 */
export function sessionTokens(
  signer: Signer,
  expected: { deployment: Deployment; roles: readonly Role[]; source?: string | undefined },
  now: () => number,
) {
  const verifiedSessions = new BoundedMap<string, Session>(REMEMBERED_MAX);

  function verified(token: string): Session | undefined {
    const cached = verifiedSessions.get(token);
    if (cached !== undefined) return cached;
    const dot = token.indexOf('.');
    if (dot < 1 || !signer.verify(token.slice(0, dot), token.slice(dot + 1))) return undefined;
    // Nothing is parsed before the signature is verified.
    const session = JSON.parse(Buffer.from(token.slice(0, dot), 'base64url').toString('utf8')) as Session;
    if (session.deployment !== expected.deployment || session.source !== expected.source) return undefined;
    if (!expected.roles.includes(session.role)) return undefined;
    verifiedSessions.set(token, session);
    return session;
  }

  return {
    /** `base64url(JSON).base64url(HMAC-SHA256)` */
    issue(session: Session) {
      const payload = Buffer.from(JSON.stringify(session), 'utf8').toString('base64url');
      return `${payload}.${signer.sign(payload)}`;
    },
    /** The session of a valid, unexpired token of this deployment; undefined for anything else. */
    read(token: string) {
      const session = verified(token);
      // The server's clock decides; the browser's Max-Age is only a hint.
      return session !== undefined && session.expiresAt * 1000 > now() ? session : undefined;
    },
  };
}

export type SessionTokens = ReturnType<typeof sessionTokens>;

import type { Deployment } from '../../shared/deployment.ts';
import type { Role } from '../../shared/session.ts';

/** What the signed cookie says of its operator (section 2.1 and the README's security model). */
export interface Session {
  identityId: string;
  email: string;
  role: Role;
  deployment: Deployment;
  /** Seconds since the epoch. */
  issuedAt: number;
  expiresAt: number;
  sessionId: string;
  /** The identity's epoch at sign-in: a raised epoch ends the session. */
  epoch: number;
}

import { randomBytes, randomUUID } from 'node:crypto';
import { verifyPassword } from '../../passwords.ts';
import { type IdentityDocument, normalised } from '../identities/identity-document.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import type { Device, SessionStore, StoredSession } from '../sessions/session-store.ts';

export type SignInOutcome =
  | { outcome: 'wrong' }
  | { outcome: 'inactive'; identity: IdentityDocument }
  | { outcome: 'signed-in'; identity: IdentityDocument; session: StoredSession };

export interface SignInAttempt {
  identifier: string;
  password: string;
  device: Omit<Device, 'id'>;
}

export type PasswordSignIn = (attempt: SignInAttempt) => Promise<SignInOutcome>;

/** The lifetime of a session, and of an extended one from then on. */
export const SESSION_LIFESPAN_MS = 14 * 86_400_000;

/**
 * The only way to sign in, shared by the sign-in page and the native login flow. Creates a session.
 * @param now milliseconds since the epoch
 */
export const passwordSignIn =
  (identities: IdentityStore, sessions: SessionStore, now: () => number): PasswordSignIn =>
  async ({ identifier, password, device }) => {
    const identity = identities.findByIdentifier('password', normalised(identifier));
    const hash = identity?.credentials.password?.config.hashed_password;
    const right = await verifyPassword(password, typeof hash === 'string' ? hash : undefined);
    if (identity === undefined || !right) return { outcome: 'wrong' };
    if (identity.state !== 'active') return { outcome: 'inactive', identity };
    const at = new Date(now()).toISOString();
    const session: StoredSession = {
      identityId: identity.id,
      token: `ory_st_${randomBytes(24).toString('base64url')}`,
      document: {
        id: randomUUID(),
        active: true,
        expires_at: new Date(now() + SESSION_LIFESPAN_MS).toISOString(),
        authenticated_at: at,
        authenticator_assurance_level: 'aal1',
        authentication_methods: [{ method: 'password', aal: 'aal1', completed_at: at }],
        issued_at: at,
        devices: [{ id: randomUUID(), ...device }],
      },
    };
    sessions.insert(session);
    return { outcome: 'signed-in', identity, session };
  };

import { randomBytes, randomUUID } from 'node:crypto';
import { verifyPassword } from '../passwords.js';
import { normalised } from './identity-document.js';
/** How long a session lasts, and how long an extension makes it last from then on. */
export const SESSION_LIFESPAN_MS = 14 * 86_400_000;
/**
 * The one way in: the sign-in page and the native login flow both use it. A sign-in leaves a session.
 * @param now milliseconds since the epoch
 */
export const passwordSignIn =
  (identities, sessions, now) =>
  async ({ identifier, password, device }) => {
    const identity = identities.findByIdentifier('password', normalised(identifier));
    const hash = identity?.credentials.password?.config.hashed_password;
    const right = await verifyPassword(password, typeof hash === 'string' ? hash : undefined);
    if (identity === undefined || !right) return { outcome: 'wrong' };
    if (identity.state !== 'active') return { outcome: 'inactive', identity };
    const at = new Date(now()).toISOString();
    const session = {
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

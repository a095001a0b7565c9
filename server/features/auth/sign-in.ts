import { randomUUID } from 'node:crypto';
import type { Deployment } from '../../../shared/deployment.ts';
import { ROLES, type Role, SESSION_MAX_AGE_SECONDS, type SignInFailure } from '../../../shared/session.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import type { Session } from '../../session/session-token.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import type { OAuthProvider, UserInfo } from './oauth-provider.ts';
import { SignInFailed } from './sign-in-failed.ts';

export interface SignIn {
  /** Trades the code for a session. @throws SignInFailed, UpstreamFailure */
  complete(code: string, verifier: string): Promise<Session>;
  /** Records a sign-in that ended before anybody was known. */
  recordRefusal(reason: SignInFailure): Promise<void>;
}

/** The cookie has to fit into what browsers keep and servers accept. */
const EMAIL_MAX_CHARACTERS = 320;

/**
 * The second half of the sign-in, from the code to the session (docs/api.md#sign-in-and-session).
 * @param store undefined where none is configured: then the provider's own claims tell the role
 * @param schemaIds schemas whose identities may be operators; undefined: any
 * @param now milliseconds since the epoch
 */
export function signIn(options: {
  provider: OAuthProvider;
  store: Pick<IdentityStore, 'identity'> | undefined;
  schemaIds: readonly string[] | undefined;
  epochOf: (identityId: string) => Promise<number>;
  audit: AuditTrail;
  deployment: Deployment;
  now: () => number;
}): SignIn {
  const { provider, store, schemaIds, epochOf, audit, deployment, now } = options;

  /** The traits that count: the store's where there is one, since it is asked now and cannot be edited by a client. */
  async function traitsOf(info: UserInfo): Promise<Record<string, unknown>> {
    if (store === undefined) return { ...info.traits, role: info.traits.role ?? info.role };
    const operator = await store.identity(info.sub);
    if (!operator?.active) throw new SignInFailed('inactive', info.sub);
    if (schemaIds !== undefined && !schemaIds.some((id) => id === operator.schemaId))
      throw new SignInFailed('no_role', info.sub);
    return operator.traits;
  }

  async function establish(code: string, verifier: string): Promise<Session> {
    const { accessToken, expiresIn } = await provider.redeemCode(code, verifier);
    // The access token is used this once and kept nowhere.
    const info = await provider.userInfo(accessToken);
    const traits = await traitsOf(info);
    const role = ROLES.find((known) => known === traits.role);
    if (role === undefined) throw new SignInFailed('no_role', info.sub);
    const email = isEmail(info.email) ? info.email : traits.email;
    if (!isEmail(email)) throw new SignInFailed('provider_refused', info.sub);
    return sessionFor(info.sub, email, role, Math.min(expiresIn, SESSION_MAX_AGE_SECONDS));
  }

  async function sessionFor(identityId: string, email: string, role: Role, seconds: number): Promise<Session> {
    const epoch = await epochOf(identityId);
    const issuedAt = Math.floor(now() / 1000);
    return {
      identityId,
      email,
      role,
      deployment,
      issuedAt,
      expiresAt: issuedAt + seconds,
      sessionId: randomUUID(),
      epoch,
    };
  }

  const recordRefusal = (reason: SignInFailure, identityId: string | undefined): Promise<void> =>
    audit.record({ action: 'login_refused', actor: identityId ?? 'anonymous', target: null, details: { reason } });

  return {
    async complete(code, verifier) {
      try {
        const session = await establish(code, verifier);
        await audit.record({
          action: 'login',
          actor: session.identityId,
          target: session.sessionId,
          details: { role: session.role },
        });
        return session;
      } catch (error) {
        if (error instanceof SignInFailed) await recordRefusal(error.reason, error.identityId);
        throw error;
      }
    },
    recordRefusal: (reason) => recordRefusal(reason, undefined),
  };
}

const isEmail = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= EMAIL_MAX_CHARACTERS && /^[^\s@]+@[^\s@]+$/.test(value);

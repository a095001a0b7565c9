import { randomUUID } from 'node:crypto';
import { ROLES, type Role, type RoleSource } from '../../../shared/capabilities.ts';
import { SESSION_MAX_AGE_SECONDS, type SignInFailure } from '../../../shared/session.ts';
import type { Deployment } from '../../../shared/upstreams.ts';
import type { ActEvent } from '../../audit/event.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import type { Database } from '../../db/database.ts';
import { DatabaseUnavailable } from '../../db/errors.ts';
import type { Session } from '../../session/session-token.ts';
import { type IdentityStore, roleOf } from '../../upstream/identity-store.ts';
import { type LoginStateReplay, LoginStateReplayed } from './login-state.ts';
import { type OAuthProvider, SignInFailed, type UserInfo } from './oauth-provider.ts';

const MINUTE_MS = 60_000;
const ANONYMOUS = 'anonymous';
/** So many identities are counted apart; refusals of further ones are counted as those of anonymous callers. */
const APART_MAX = 1_000;

export interface RefusalRecords {
  /**
   * Records a refused sign-in. For each identity and reason, the first of each minute is recorded at once and the rest as
   * one record at the end of the minute: anyone can begin a sign-in and let it fail, and every customer has an identity.
   */
  record(reason: SignInFailure, identityId: string | undefined): Promise<void>;
  /** Writes the pending records of the current minute. */
  flush(): void;
}

interface Minute {
  /** Not counting the first. */
  count: number;
  from: string;
  to: string;
  timer: NodeJS.Timeout;
}

/** @param options.now milliseconds since the epoch */
export function refusalRecords(options: {
  audit: Pick<AuditTrail, 'record' | 'queue'>;
  now: () => number;
}): RefusalRecords {
  const { audit, now } = options;
  const actors = new Map<string, Map<SignInFailure, Minute>>();

  function actorOf(identityId: string | undefined): string {
    if (identityId === undefined) return ANONYMOUS;
    const apart = actors.size - (actors.has(ANONYMOUS) ? 1 : 0);
    return actors.has(identityId) || apart < APART_MAX ? identityId : ANONYMOUS;
  }

  function begin(actor: string, reason: SignInFailure): Minute {
    const minute = { count: 0, from: '', to: '', timer: setTimeout(() => end(actor, reason), MINUTE_MS).unref() };
    actors.set(actor, (actors.get(actor) ?? new Map<SignInFailure, Minute>()).set(reason, minute));
    return minute;
  }

  function count(minute: Minute): void {
    const time = new Date(now()).toISOString();
    if (minute.count === 0) minute.from = time;
    minute.to = time;
    minute.count += 1;
  }

  function end(actor: string, reason: SignInFailure): void {
    const minutes = actors.get(actor);
    const minute = minutes?.get(reason);
    if (minutes === undefined || minute === undefined) return;
    minutes.delete(reason);
    if (minutes.size === 0) actors.delete(actor);
    clearTimeout(minute.timer);
    const { count: times, from, to } = minute;
    if (times > 0) void audit.queue(refusal(actor, { reason, count: times, from, to }));
  }

  return {
    async record(reason, identityId) {
      const actor = actorOf(identityId);
      const underWay = actors.get(actor)?.get(reason);
      if (underWay !== undefined) return count(underWay);
      const minute = begin(actor, reason);
      try {
        await audit.record(refusal(actor, { reason }));
      } catch (error) {
        count(minute);
        throw error;
      }
    },
    flush() {
      for (const [actor, minutes] of [...actors]) for (const reason of [...minutes.keys()]) end(actor, reason);
    },
  };
}

const refusal = (actor: string, details: NonNullable<ActEvent['details']>): ActEvent => ({
  action: 'login_refused',
  actor,
  target: null,
  details,
});

export interface SignIn {
  /**
   * Exchanges the code for a session; afterwards the state is used up in every process.
   * @throws SignInFailed, UpstreamFailure, LoginStateReplayed
   */
  complete(returned: ReturnedSignIn): Promise<Session>;
}

/** What a browser returns with: a code, or the provider's refusal. */
export type ReturnedSignIn = { state: string; verifier: string } & ({ code: string } | { refused: SignInFailure });

/** The cookie has to fit browsers' and servers' limits. */
const EMAIL_MAX_CHARACTERS = 320;

/**
 * The second half of the sign-in, from the code to the session (docs/api.md#sign-in-and-session).
 * @param store undefined if none is configured: the role is then read from the provider's claims
 * @param roleFrom where the store keeps a role
 * @param schemaIds schemas whose identities may be operators; undefined: any
 * @param now milliseconds since the epoch
 */
export function signIn(options: {
  provider: OAuthProvider;
  store: Pick<IdentityStore, 'identity'> | undefined;
  roleFrom: RoleSource;
  schemaIds: readonly string[] | undefined;
  epochOf: (identityId: string) => Promise<number>;
  states: Pick<LoginStateReplay, 'isMarked' | 'mark' | 'spend'>;
  refusals: Pick<RefusalRecords, 'record'>;
  database: Pick<Database, 'transaction'>;
  audit: Pick<AuditTrail, 'record'>;
  deployment: Deployment;
  now: () => number;
}): SignIn {
  const { provider, store, roleFrom, schemaIds, epochOf, states, refusals, database, audit, deployment, now } = options;

  /** The store decides, if there is one, since what it holds is current and no client can edit it. */
  async function operatorOf(info: UserInfo): Promise<{ role: unknown; email: unknown }> {
    if (store === undefined) return { role: info.traits.role ?? info.role, email: info.traits.email };
    const operator = await store.identity(info.sub);
    if (!operator?.active) throw new SignInFailed('inactive', info.sub);
    if (schemaIds !== undefined && !schemaIds.some((id) => id === operator.schemaId))
      throw new SignInFailed('no_role', info.sub);
    return { role: roleOf(operator, roleFrom), email: operator.traits.email };
  }

  async function establish(returned: ReturnedSignIn): Promise<Session> {
    if ('refused' in returned) throw new SignInFailed(returned.refused);
    const { accessToken, expiresIn } = await provider.redeemCode(returned.code, returned.verifier);
    // The access token is used only here and never stored.
    const info = await provider.userInfo(accessToken);
    const operator = await operatorOf(info);
    const role = ROLES.find((known) => known === operator.role);
    if (role === undefined) throw new SignInFailed('no_role', info.sub);
    const email = isEmail(info.email) ? info.email : operator.email;
    if (!isEmail(email)) throw new SignInFailed('no_email', info.sub);
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

  /** State and record are committed together; the state first, so that the chain is not locked while that waits. */
  async function admit({ identityId: actor, sessionId: target, role }: Session, state: string): Promise<void> {
    try {
      await database.transaction(async (trx) => {
        await states.mark(state, trx);
        await audit.record({ action: 'login', actor, target, details: { role } }, trx);
      });
    } catch (cause) {
      if (cause instanceof LoginStateReplayed) throw cause;
      throw new DatabaseUnavailable('the sign-in could not be recorded', { cause });
    }
  }

  return {
    async complete(returned) {
      const { state } = returned;
      if (await states.isMarked(state)) throw new LoginStateReplayed();
      try {
        const session = await establish(returned);
        await admit(session, state);
        return session;
      } catch (error) {
        if (!(error instanceof LoginStateReplayed)) await states.spend(state);
        if (error instanceof SignInFailed) await refusals.record(error.reason, error.identityId);
        throw error;
      }
    },
  };
}

const isEmail = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= EMAIL_MAX_CHARACTERS && /^[^\s@]+@[^\s@]+$/.test(value);

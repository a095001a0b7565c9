import { randomUUID } from 'node:crypto';
import { ROLES } from '../../../shared/capabilities.ts';
import { SESSION_MAX_AGE_SECONDS, type SignInFailure } from '../../../shared/session.ts';
import type { ActEvent } from '../../audit/event.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import type { Context } from '../../context.ts';
import { DatabaseUnavailable } from '../../db/errors.ts';
import type { Session } from '../../session/session-token.ts';
import { roleOf } from '../../upstream/identity-store.ts';
import { type LoginStateReplay, LoginStateReplayed } from './login-state.ts';
import { type OAuthProvider, SignInFailed } from './oauth-provider.ts';

const MINUTE_MS = 60_000;
const ANONYMOUS = 'anonymous';
/** The maximum number of identities that are counted separately; refusals of any others count as anonymous. */
const SEPARATE_MAX = 1_000;

interface Minute {
  /** The number of refusals after the first. */
  count: number;
  from: string;
  to: string;
  timer: NodeJS.Timeout;
}

/**
 * Audit records of refused sign-ins. For each identity and reason, the first of each minute is recorded immediately and
 * the rest as one record at the end of the minute, because anyone can begin a sign-in and let it fail, and every
 * customer has an identity.
 * @param now milliseconds since the epoch
 */
export function refusalRecords({ audit, now }: { audit: Pick<AuditTrail, 'record' | 'queue'>; now: () => number }) {
  const actors = new Map<string, Map<SignInFailure, Minute>>();

  function actorOf(identityId: string | undefined): string {
    if (identityId === undefined) return ANONYMOUS;
    const separate = actors.size - (actors.has(ANONYMOUS) ? 1 : 0);
    return actors.has(identityId) || separate < SEPARATE_MAX ? identityId : ANONYMOUS;
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
    async record(reason: SignInFailure, identityId: string | undefined): Promise<void> {
      const actor = actorOf(identityId);
      const current = actors.get(actor)?.get(reason);
      if (current !== undefined) return count(current);
      const minute = begin(actor, reason);
      try {
        await audit.record(refusal(actor, { reason }));
      } catch (error) {
        count(minute);
        throw error;
      }
    },
    /** Writes the pending records of the current minute. */
    flush(): void {
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

type UserInfo = Awaited<ReturnType<OAuthProvider['userInfo']>>;

/** The parameters with which a browser returns from the provider: a code, or a refusal. */
type ReturnedSignIn = { state: string; verifier: string } & ({ code: string } | { refused: SignInFailure });

/** Keeps the cookie within the limits of browsers and servers. */
const EMAIL_MAX_CHARACTERS = 320;

/**
 * The second half of the sign-in, from the code to the session (docs/api.md#sign-in-and-session).
 * @returns a function that exchanges the code for a session and marks the state as used, for every process. It rejects
 * with SignInFailed, UpstreamFailure or LoginStateReplayed
 */
export function signIn(
  { config, clock, database, audit, operators, revocations }: Context,
  parts: { provider: OAuthProvider; states: LoginStateReplay; refusals: ReturnType<typeof refusalRecords> },
): (returned: ReturnedSignIn) => Promise<Session> {
  const { provider, states, refusals } = parts;
  const { operatorSchemaIds, roleFrom } = config.auth;

  /** If a store is configured, it decides: its data is current, and no client can edit it. */
  async function operatorOf(info: UserInfo): Promise<{ role: unknown; email: unknown }> {
    if (operators === undefined) return { role: info.traits.role ?? info.role, email: info.traits.email };
    const operator = await operators.identity(info.sub);
    if (!operator?.active) throw new SignInFailed('inactive', info.sub);
    if (typeof operatorSchemaIds === 'object' && !operatorSchemaIds.some((id) => id === operator.schemaId))
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
    const epoch = await revocations.epochOf(info.sub);
    const issuedAt = Math.floor(clock.now() / 1000);
    const expiresAt = issuedAt + Math.min(expiresIn, SESSION_MAX_AGE_SECONDS);
    const { deployment } = config;
    return { identityId: info.sub, email, role, deployment, issuedAt, expiresAt, sessionId: randomUUID(), epoch };
  }

  /**
   * Commits the state and the record together. Writes the state first, so that the chain is not locked if that has to
   * wait.
   */
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

  return async (returned) => {
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
  };
}

const isEmail = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= EMAIL_MAX_CHARACTERS && /^[^\s@]+@[^\s@]+$/.test(value);

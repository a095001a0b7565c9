import { randomUUID } from 'node:crypto';
import type { AuditDetails } from '../../../shared/audit.ts';
import { SESSION_MAX_AGE_SECONDS, type SignInFailure } from '../../../shared/session.ts';
import type { ActEvent } from '../../audit/event.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import { signInSource } from '../../config/config.ts';
import type { Context } from '../../context.ts';
import { DatabaseUnavailable } from '../../db/errors.ts';
import { type Session, shortMinutes } from '../../session/session-token.ts';
import { type LoginStateReplay, LoginStateReplayed } from './login-state.ts';
import { type Operator, operatorFinder } from './operator.ts';
import { type Provider, type Returned, SignInFailed } from './provider.ts';

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
    async record(reason: SignInFailure, identityId?: string, details: AuditDetails = {}): Promise<void> {
      const actor = actorOf(identityId);
      const current = actors.get(actor)?.get(reason);
      if (current !== undefined) return count(current);
      const minute = begin(actor, reason);
      try {
        await audit.record(refusal(actor, { reason, ...details }));
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

/** The parameters with which a browser returns from the provider: a code, or a refusal. */
type ReturnedSignIn = Omit<Returned, 'code'> & ({ code: string } | { refused: SignInFailed });

/**
 * The second half of the sign-in, from the code to the session (docs/api.md#sign-in-and-session).
 * @returns a function that exchanges the code for a session and marks the state as used, for every process. It rejects
 * with SignInFailed, UpstreamFailure or LoginStateReplayed
 */
export function signIn(
  context: Context,
  parts: { provider: Provider; states: LoginStateReplay; refusals: ReturnType<typeof refusalRecords> },
): (returned: ReturnedSignIn) => Promise<Session> {
  const { provider, states, refusals } = parts;
  const { config, clock, database, audit, revocations, claimsOperators, log } = context;
  const findOperator = operatorFinder(context);
  const source = signInSource(config.auth);

  async function establish(returned: ReturnedSignIn): Promise<{ session: Session; operator: Operator }> {
    if ('refused' in returned) throw returned.refused;
    const signedIn = await provider.redeem(returned);
    const operator = await findOperator(signedIn);
    const { identityId, email, role } = operator;
    const epoch = await revocations.epochOf(identityId);
    const issuedAt = Math.floor(clock.now() / 1000);
    const expiresAt = issuedAt + Math.min(signedIn.expiresIn, SESSION_MAX_AGE_SECONDS);
    const { deployment } = config;
    const sessionId = randomUUID();
    const session = { identityId, email, role, deployment, issuedAt, expiresAt, sessionId, epoch, source };
    return { session, operator };
  }

  /** Commits state and record together. The state comes first, so that the chain is not locked if it has to wait. */
  async function admit({ session, operator }: Awaited<ReturnType<typeof establish>>, state: string): Promise<void> {
    const { identityId: actor, sessionId: target, role } = session;
    const minutes = shortMinutes(session);
    try {
      await database.transaction(async (trx) => {
        await states.mark(state, trx);
        if (operator.byClaims !== undefined) await claimsOperators.record({ id: actor, ...operator.byClaims }, trx);
        await audit.record({ action: 'login', actor, target, details: { role, ...(minutes && { minutes }) } }, trx);
      });
    } catch (cause) {
      if (cause instanceof LoginStateReplayed) throw cause;
      throw new DatabaseUnavailable('the sign-in could not be recorded', { cause });
    }
    if (minutes !== undefined) log.warn({ minutes }, 'the OpenID provider allows only short sessions');
  }

  return async (returned) => {
    const { state } = returned;
    if (await states.isMarked(state)) throw new LoginStateReplayed();
    try {
      const established = await establish(returned);
      await admit(established, state);
      return established.session;
    } catch (error) {
      if (!(error instanceof LoginStateReplayed)) await states.spend(state);
      if (error instanceof SignInFailed) await refusals.record(error.reason, error.identityId, error.details);
      throw error;
    }
  };
}

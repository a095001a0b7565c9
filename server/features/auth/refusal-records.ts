import type { SignInFailure } from '../../../shared/session.ts';
import type { ActEvent } from '../../audit/audit-event.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';

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

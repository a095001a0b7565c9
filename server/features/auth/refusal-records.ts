import type { SignInFailure } from '../../../shared/session.ts';
import type { ActEvent } from '../../audit/audit-event.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';

const MINUTE_MS = 60_000;

export interface RefusalRecords {
  /**
   * Records a refused sign-in. If no identity is known, the first of each minute is recorded at once and the rest as
   * one record at the end of the minute: anyone can begin a sign-in and let it fail.
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
  const minutes = new Map<SignInFailure, Minute>();

  function begin(reason: SignInFailure): Minute {
    const minute = { count: 0, from: '', to: '', timer: setTimeout(() => end(reason), MINUTE_MS).unref() };
    minutes.set(reason, minute);
    return minute;
  }

  function count(minute: Minute): void {
    const time = new Date(now()).toISOString();
    if (minute.count === 0) minute.from = time;
    minute.to = time;
    minute.count += 1;
  }

  function end(reason: SignInFailure): void {
    const minute = minutes.get(reason);
    if (minute === undefined) return;
    minutes.delete(reason);
    clearTimeout(minute.timer);
    const { count: times, from, to } = minute;
    if (times > 0) void audit.queue(refusal('anonymous', { reason, count: times, from, to }));
  }

  return {
    async record(reason, identityId) {
      if (identityId !== undefined) return audit.record(refusal(identityId, { reason }));
      const underWay = minutes.get(reason);
      if (underWay !== undefined) return count(underWay);
      const minute = begin(reason);
      try {
        await audit.record(refusal('anonymous', { reason }));
      } catch (error) {
        count(minute);
        throw error;
      }
    },
    flush() {
      for (const reason of [...minutes.keys()]) end(reason);
    },
  };
}

const refusal = (actor: string, details: NonNullable<ActEvent['details']>): ActEvent => ({
  action: 'login_refused',
  actor,
  target: null,
  details,
});

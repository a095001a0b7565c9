import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedMap } from '../caches.ts';
import type { Log } from '../log.ts';

const REMEMBER_MS = 30_000;
const WAIT_MS = 1_000;
const REMEMBERED_MAX = 10_000;
const RETRY_MS = 1_000;
const CLOSE_MS = 2_000;

/** The state of an operator in the identity store. `unknown` means an outage, which locks nobody out. */
export type Presence = 'present' | 'gone' | 'unknown';

/**
 * Deleting or deactivating an identity ends its sessions (docs/operators.md#roles). A deleted operator stays
 * locked out even if that cannot be stored now, and whatever the store reports later.
 * @param lookUp queries the store; undefined if none is configured, in which case every operator counts as present
 * @param endSessions raises the identity's epoch, so that a reactivated operator has to sign in again
 */
export function operatorCheck(options: {
  lookUp: ((identityId: string) => Promise<Presence>) | undefined;
  endSessions: (identityId: string) => Promise<void>;
  monotonic: () => number;
  log: Log;
}) {
  const { lookUp, endSessions, monotonic, log } = options;
  if (lookUp === undefined) return { isPresent: async () => true, forgetAll: () => {}, close: async () => {} };

  /** How long an identity counts as present without another query. */
  const remembered = new BoundedMap<string, number>(REMEMBERED_MAX);
  const underWay = new Map<string, Promise<boolean>>();
  /** Deleted operators whose sessions are not ended in the database yet: few, since only signed sessions get here. */
  const ending = new Set<string>();
  let generation = 0;
  let closed = false;

  async function check(identityId: string): Promise<boolean> {
    const presence = await (lookUp as NonNullable<typeof lookUp>)(identityId).catch(() => 'unknown' as const);
    if (presence === 'unknown') log.warn('the identity store does not respond: sessions stay valid');
    if (presence !== 'gone') return true;
    remembered.delete(identityId);
    if (!ending.has(identityId)) end(identityId);
    return false;
  }

  function end(identityId: string): void {
    ending.add(identityId);
    endSessions(identityId).then(
      () => ending.delete(identityId),
      (error) => {
        if (closed) return;
        log.error({ error }, 'ended sessions could not be stored: retrying');
        setTimeout(() => closed || end(identityId), RETRY_MS).unref();
      },
    );
  }

  const remember = (identityId: string): void => void remembered.set(identityId, monotonic() + REMEMBER_MS);

  /** Callers treat a store slower than a second as unavailable; its late response still counts. */
  function checkWithinASecond(identityId: string): Promise<boolean> {
    const started = generation;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        if (started === generation) remember(identityId);
        resolve(true);
      }, WAIT_MS);
      void check(identityId).then((present) => {
        clearTimeout(timer);
        if (present && started === generation) remember(identityId);
        resolve(present);
      });
    });
  }

  return {
    /** False once the store has reported the identity deleted or deactivated. Waits at most a second for the store. */
    async isPresent(identityId: string) {
      if (ending.has(identityId)) return false;
      if ((remembered.get(identityId) ?? Number.NEGATIVE_INFINITY) > monotonic()) return true;
      let present = underWay.get(identityId);
      if (present === undefined) {
        present = checkWithinASecond(identityId).finally(() => {
          if (underWay.get(identityId) === present) underWay.delete(identityId);
        });
        underWay.set(identityId, present);
      }
      return present;
    },
    /** Call it after a write to the store's identities, which may make everything remembered invalid. */
    forgetAll() {
      generation += 1;
      remembered.clear();
      underWay.clear();
    },
    /** Tries once more, for at most two seconds, to store ended sessions. */
    async close() {
      closed = true;
      if (ending.size === 0) return;
      const stored = Promise.allSettled([...ending].map(endSessions));
      const outcomes = await Promise.race([stored, sleep(CLOSE_MS)]);
      if (!outcomes?.every(({ status }) => status === 'fulfilled')) log.error('ended sessions were not stored');
    },
  };
}

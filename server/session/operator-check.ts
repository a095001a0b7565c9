import { setTimeout as sleep } from 'node:timers/promises';
import type { Log } from '../log/log.ts';

const REMEMBER_MS = 30_000;
const WAIT_MS = 1_000;
const REMEMBERED_MAX = 10_000;
const RETRY_MS = 1_000;
const CLOSE_MS = 2_000;

/** What the identity store says of an operator; `unknown` is an outage, and an outage locks nobody out. */
export type Presence = 'present' | 'gone' | 'unknown';

export interface OperatorCheck {
  /** False once the store said that the identity is gone or no longer active. Waits for the store at most a second. */
  isPresent(identityId: string): Promise<boolean>;
  /** After a write to the store's identities everything remembered is doubtful. */
  forgetAll(): void;
  /** Tries once more to store that sessions are over, for two seconds at most. */
  close(): Promise<void>;
}

/**
 * Deleting or deactivating an identity ends its sessions (docs/operations.md#operators). Somebody who is gone is out
 * whether or not that can be stored now, and whatever the store says next.
 * @param lookUp asks the store; undefined where no store is configured, then every operator counts as present
 * @param endSessions raises the identity's epoch: gone is for good, and those who are back sign in to the next one
 * @param monotonic milliseconds on a clock that only goes forward
 */
export function operatorCheck(options: {
  lookUp: ((identityId: string) => Promise<Presence>) | undefined;
  endSessions: (identityId: string) => Promise<void>;
  monotonic: () => number;
  log: Log;
}): OperatorCheck {
  const { lookUp, endSessions, monotonic, log } = options;
  if (lookUp === undefined) return { isPresent: async () => true, forgetAll: () => {}, close: async () => {} };

  /** Until when an identity counts as present. */
  const remembered = new Map<string, number>();
  const underWay = new Map<string, Promise<boolean>>();
  /** Gone, while it is not stored that their sessions are over. Only holders of a signed session come this far. */
  const ending = new Set<string>();
  let generation = 0;
  let closed = false;

  async function ask(identityId: string): Promise<boolean> {
    const presence = await (lookUp as NonNullable<typeof lookUp>)(identityId).catch(() => 'unknown' as const);
    if (presence === 'unknown') log.warn('the identity store does not answer: sessions stay valid');
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
        log.error({ error }, 'the end of sessions is not stored: it is tried again');
        setTimeout(() => closed || end(identityId), RETRY_MS).unref();
      },
    );
  }

  function remember(identityId: string): void {
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(identityId, monotonic() + REMEMBER_MS);
  }

  /** A store that takes longer than a second is an outage for those who wait; its late answer still counts. */
  function askWithinASecond(identityId: string): Promise<boolean> {
    const asked = generation;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        if (asked === generation) remember(identityId);
        resolve(true);
      }, WAIT_MS);
      void ask(identityId).then((present) => {
        clearTimeout(timer);
        if (present && asked === generation) remember(identityId);
        resolve(present);
      });
    });
  }

  return {
    async isPresent(identityId) {
      if (ending.has(identityId)) return false;
      if ((remembered.get(identityId) ?? Number.NEGATIVE_INFINITY) > monotonic()) return true;
      let answer = underWay.get(identityId);
      if (answer === undefined) {
        answer = askWithinASecond(identityId).finally(() => {
          if (underWay.get(identityId) === answer) underWay.delete(identityId);
        });
        underWay.set(identityId, answer);
      }
      return answer;
    },
    forgetAll() {
      generation += 1;
      remembered.clear();
      underWay.clear();
    },
    async close() {
      closed = true;
      if (ending.size === 0) return;
      const stored = Promise.allSettled([...ending].map(endSessions));
      const outcomes = await Promise.race([stored, sleep(CLOSE_MS)]);
      if (!outcomes?.every(({ status }) => status === 'fulfilled')) log.error('the end of sessions was not stored');
    },
  };
}

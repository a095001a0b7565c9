import type { Log } from '../log.ts';

const REMEMBER_MS = 30_000;
const WAIT_MS = 1_000;
const REMEMBERED_MAX = 10_000;

/** What the identity store says of an operator; `unknown` is an outage, and an outage locks nobody out. */
export type Presence = 'present' | 'gone' | 'unknown';

export interface OperatorCheck {
  /** False once the store said that the identity is gone or no longer active. Waits for the store at most a second. */
  isPresent(identityId: string): Promise<boolean>;
  /** After a write to the store's identities everything remembered is doubtful. */
  forgetAll(): void;
}

/**
 * Deleting or deactivating an identity ends its sessions (docs/operations.md#operators).
 * @param lookUp asks the store; undefined where no store is configured, then every operator counts as present
 * @param endSessions raises the identity's epoch: gone is for good
 * @param monotonic milliseconds on a clock that only goes forward
 */
export function operatorCheck(options: {
  lookUp: ((identityId: string) => Promise<Presence>) | undefined;
  endSessions: (identityId: string) => Promise<void>;
  monotonic: () => number;
  log: Log;
}): OperatorCheck {
  const { lookUp, endSessions, monotonic, log } = options;
  if (lookUp === undefined) return { isPresent: async () => true, forgetAll: () => {} };

  const remembered = new Map<string, { present: boolean; until: number }>();
  const underWay = new Map<string, Promise<boolean>>();
  let generation = 0;

  async function ask(identityId: string): Promise<boolean> {
    const presence = await (lookUp as NonNullable<typeof lookUp>)(identityId).catch(() => 'unknown' as const);
    const present = presence !== 'gone';
    if (presence === 'unknown') log.warn('the identity store does not answer: sessions stay valid');
    if (!present)
      await endSessions(identityId).catch((error) => log.error({ error }, 'an ended session was not stored'));
    return present;
  }

  function remember(identityId: string, present: boolean): void {
    if (remembered.size >= REMEMBERED_MAX) remembered.clear();
    remembered.set(identityId, { present, until: monotonic() + REMEMBER_MS });
  }

  /** A store that takes longer than a second is an outage for those who wait; its late answer still counts. */
  function askWithinASecond(identityId: string): Promise<boolean> {
    const asked = generation;
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        if (asked === generation) remember(identityId, true);
        resolve(true);
      }, WAIT_MS);
      void ask(identityId).then((present) => {
        clearTimeout(timer);
        if (asked === generation) remember(identityId, present);
        resolve(present);
      });
    });
  }

  return {
    async isPresent(identityId) {
      const known = remembered.get(identityId);
      if (known !== undefined && known.until > monotonic()) return known.present;
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
  };
}

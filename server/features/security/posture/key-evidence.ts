import type { AuditKeyUse, RecordPlace } from '../../../audit/key-use.ts';
import type { KeySightings } from './key-sightings.ts';

/** Ids of the current and the previous key; an id reveals nothing about its key. */
export interface KeyIds {
  current: string;
  previous: string | undefined;
}

/** How many encrypted settings and earlier versions need a key, and when the oldest was stored, or replaced. */
export interface KeyNeed {
  settings: number;
  oldest: string;
}

/** What the database reveals about the keys in use. Times are ISO 8601. */
export interface KeyEvidence {
  sessionKeyFirstUsed(): Promise<string | undefined>;
  sessionKeyPreviousLastUsed(): Promise<string | undefined>;
  /** Whether an anchor of the current key covers every audit record signed with the previous one. */
  sessionKeyPreviousIsCovered(): Promise<boolean>;
  encryptionKeyUse(): Promise<{
    /** When a process first ran with it. */
    noticed: string | undefined;
    /** Whether it was new at the time. */
    fromStart: boolean;
    oldestCiphertext: string | undefined;
  }>;
  /** Encrypted settings and earlier versions by the key that decrypts them; `neither`: none does. */
  settingsOn(): Promise<{ current: number; previous: number; neither: number }>;
}

/** @param sources.needs encrypted settings by the id of their key */
export function keyEvidence(sources: {
  sessionKeyIds: KeyIds;
  encryptionKeyIds: KeyIds;
  keyUse: AuditKeyUse;
  sightings: KeySightings;
  needs: () => Promise<ReadonlyMap<string, KeyNeed>>;
}): KeyEvidence {
  const { sessionKeyIds, encryptionKeyIds, keyUse, sightings } = sources;
  let counting: Promise<ReadonlyMap<string, KeyNeed>> | undefined;
  /** Shared by all checks that run together, since it reads every setting. */
  function needs(): Promise<ReadonlyMap<string, KeyNeed>> {
    counting ??= sources.needs().finally(() => {
      counting = undefined;
    });
    return counting;
  }

  const previousLast = async (): Promise<RecordPlace | undefined> =>
    sessionKeyIds.previous === undefined ? undefined : keyUse.last(sessionKeyIds.previous);

  return {
    sessionKeyFirstUsed: async () => (await keyUse.first(sessionKeyIds.current))?.at,
    sessionKeyPreviousLastUsed: async () => (await previousLast())?.at,
    async sessionKeyPreviousIsCovered() {
      const [last, anchoredTo] = await Promise.all([previousLast(), keyUse.anchoredTo()]);
      return last === undefined || last.sequence <= anchoredTo;
    },
    async encryptionKeyUse() {
      const [sighting, all] = await Promise.all([sightings.find(encryptionKeyIds.current), needs()]);
      return {
        noticed: sighting?.firstSeen,
        fromStart: sighting?.fromStart ?? false,
        oldestCiphertext: all.get(encryptionKeyIds.current)?.oldest,
      };
    },
    async settingsOn() {
      const all = await needs();
      const on = (id: string | undefined): number => (id === undefined ? 0 : (all.get(id)?.settings ?? 0));
      const total = [...all.values()].reduce((sum, { settings }) => sum + settings, 0);
      const current = on(encryptionKeyIds.current);
      const previous = on(encryptionKeyIds.previous);
      return { current, previous, neither: total - current - previous };
    },
  };
}

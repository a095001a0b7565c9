import type { AuditKeyUse, RecordPlace } from '../../../audit/anchors.ts';
import type { Database } from '../../../db/database.ts';

/** When a process first ran with an encryption key. */
export interface KeySighting {
  /** ISO 8601. */
  firstSeen: string;
  /** Whether nothing had been encrypted with it before; otherwise the key is older. */
  fromStart: boolean;
}

export interface KeySightings {
  find(keyId: string): Promise<KeySighting | undefined>;
  /** Stores the sighting unless there is an earlier one. */
  note(keyId: string, sighting: KeySighting): Promise<void>;
}

export function keySightings(database: Database): KeySightings {
  const read = database.statement<{ first_seen: string; from_start: number }>(
    'select first_seen, from_start from key_sightings where key_id = ?',
  );
  return {
    async find(keyId) {
      const row = await read.get(keyId);
      return row && { firstSeen: row.first_seen, fromStart: row.from_start !== 0 };
    },
    async note(keyId, { firstSeen, fromStart }) {
      await database.transaction((trx) =>
        trx('key_sightings')
          .insert({ key_id: keyId, first_seen: firstSeen, from_start: Number(fromStart) })
          .onConflict('key_id')
          .ignore(),
      );
    },
  };
}

/**
 * Records when a key was first seen.
 * @param isInUse whether anything is encrypted with it already
 * @param now milliseconds since the epoch
 */
export async function noteKey(
  sightings: KeySightings,
  keyId: string,
  isInUse: (keyId: string) => Promise<boolean>,
  now: () => number,
): Promise<void> {
  if ((await sightings.find(keyId)) !== undefined) return;
  const fromStart = !(await isInUse(keyId));
  await sightings.note(keyId, { firstSeen: new Date(now()).toISOString(), fromStart });
}

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

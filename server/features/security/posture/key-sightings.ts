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

import type { Database } from '../../../db/database.ts';

/** When a process first ran with an encryption key. */
export interface KeySighting {
  /** ISO 8601. */
  firstSeen: string;
  /** Whether nothing had been encrypted with it before: else it is older than this. */
  fromStart: boolean;
}

export interface KeySightings {
  find(keyId: string): Promise<KeySighting | undefined>;
  /** Keeps the first sighting of a key. */
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
 * Notes a key that was never seen before.
 * @param isInUse whether anything was encrypted with it already
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

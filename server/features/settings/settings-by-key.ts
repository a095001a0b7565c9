import { setImmediate as nextTurn } from 'node:timers/promises';
import { keyIdOf } from '../../crypto/cipher.ts';
import type { Database } from '../../db/database.ts';

const BATCH = 500;
/** The start of a ciphertext, including the key id. */
const HEAD_CHARACTERS = 32;

/**
 * By key id: how many settings and earlier versions are encrypted with the key, and when the oldest was stored, or
 * replaced. Invalid ciphertexts are counted under the empty string. Nothing is decrypted.
 */
export function settingsByKey(database: Database): () => Promise<Map<string, { settings: number; oldest: string }>> {
  const columns = `\`key\`, substr(value, 1, ${HEAD_CHARACTERS}) as head`;
  const settings = database.statement<Head>(
    `select ${columns}, 0 as version, updated_at as stored from settings
     where encrypted = 1 and \`key\` > ? order by \`key\` limit ${BATCH}`,
  );
  const versions = database.statement<Head>(
    `select ${columns}, version, replaced_at as stored from setting_versions
     where encrypted = 1 and (\`key\` > ? or (\`key\` = ? and version > ?)) order by \`key\`, version limit ${BATCH}`,
  );
  const batches = [({ key }: Place) => settings.all(key), ({ key, version }: Place) => versions.all(key, key, version)];
  return async () => {
    const found = new Map<string, { settings: number; oldest: string }>();
    for (const batchAfter of batches) {
      let last: Place | undefined = { key: '', version: 0 };
      while (last !== undefined) {
        const batch: Head[] = await batchAfter(last);
        for (const { head, stored } of batch) {
          const id = keyIdOf(head) ?? '';
          const { settings, oldest } = found.get(id) ?? { settings: 0, oldest: stored };
          found.set(id, { settings: settings + 1, oldest: stored < oldest ? stored : oldest });
        }
        last = batch.length < BATCH ? undefined : batch.at(-1);
        await nextTurn();
      }
    }
    return found;
  };
}

interface Place {
  key: string;
  version: number;
}

interface Head extends Place {
  head: string;
  stored: string;
}

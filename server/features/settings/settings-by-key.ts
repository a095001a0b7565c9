import { setImmediate as nextTurn } from 'node:timers/promises';
import { keyIdOf } from '../../crypto/cipher.ts';
import type { Database } from '../../db/database.ts';

const BATCH = 500;
/** The start of a ciphertext, including the key id. */
const HEAD_CHARACTERS = 32;

/**
 * By key id: how many settings are encrypted with the key, and when the oldest was stored. Invalid ciphertexts are
 * counted under the empty string. Nothing is decrypted.
 */
export function settingsByKey(database: Database): () => Promise<Map<string, { settings: number; oldest: string }>> {
  const read = database.statement<{ key: string; head: string; updated_at: string }>(
    `select \`key\`, substr(value, 1, ${HEAD_CHARACTERS}) as head, updated_at from settings
     where encrypted = 1 and \`key\` > ? order by \`key\` limit ${BATCH}`,
  );
  return async () => {
    const found = new Map<string, { settings: number; oldest: string }>();
    let after = '';
    for (;;) {
      const batch = await read.all(after);
      for (const { head, updated_at } of batch) {
        const id = keyIdOf(head) ?? '';
        const { settings, oldest } = found.get(id) ?? { settings: 0, oldest: updated_at };
        found.set(id, { settings: settings + 1, oldest: updated_at < oldest ? updated_at : oldest });
      }
      const last = batch.at(-1);
      if (last === undefined || batch.length < BATCH) return found;
      after = last.key;
      await nextTurn();
    }
  };
}

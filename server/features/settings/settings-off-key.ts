import type { Knex } from 'knex';
import { ciphertextBeginning } from '../../crypto/cipher.ts';
import type { Database } from '../../db/database.ts';

/** Small: on SQLite all other writes wait for a batch, on MySQL all audited acts. */
const BATCH = 32;

/** An encrypted setting as stored. */
export interface SealedSetting {
  key: string;
  /** Ciphertext. */
  value: string;
  category: string | null;
}

/** The settings encrypted with any key but the given one. */
export interface SettingsOffKey {
  /** In byte order of the keys, after `after`; empty at the end. */
  batch(after: string): Promise<SealedSetting[]>;
  /** Replaces the ciphertext unless the setting was changed since it was read. @returns whether it was replaced */
  exchange(trx: Knex.Transaction, read: SealedSetting, ciphertext: string): Promise<boolean>;
}

/** @param keyId as it appears in ciphertexts */
export function settingsOffKey(database: Database, keyId: string): SettingsOffKey {
  const beginning = ciphertextBeginning(keyId);
  const read = database.statement<SealedSetting>(
    `select \`key\`, value, category from settings
     where encrypted = 1 and substr(value, 1, ${beginning.length}) <> ? and \`key\` > ? order by \`key\` limit ${BATCH}`,
  );
  return {
    batch: (after) => read.all(beginning, after),
    async exchange(trx, { key, value }, ciphertext) {
      const changed = await trx('settings').where({ key, encrypted: 1, value }).update({ value: ciphertext });
      return changed > 0;
    },
  };
}

import type { Knex } from 'knex';
import { ciphertextBeginning } from '../../crypto/cipher.ts';
import type { Database } from '../../db/database.ts';

/** Small: on SQLite all other writes wait for a batch, on MySQL all audited acts. */
const BATCH = 32;

/** An encrypted setting, or an earlier version of one, as stored. */
export interface SealedSetting {
  key: string;
  /** 0 for the setting itself. */
  version: number;
  /** Ciphertext. */
  value: string;
  category: string | null;
}

/** The settings encrypted with any key but the given one; or their earlier versions. */
export interface SettingsOffKey {
  /** In byte order of the keys, those of a key by version, after `last`; empty at the end. */
  batch(last: Pick<SealedSetting, 'key' | 'version'>): Promise<SealedSetting[]>;
  /** Replaces the ciphertext unless the setting was changed since it was read. @returns whether it was replaced */
  exchange(trx: Knex.Transaction, read: SealedSetting, ciphertext: string): Promise<boolean>;
}

/** @param keyId as it appears in ciphertexts */
export function settingsOffKey(database: Database, keyId: string): SettingsOffKey {
  const beginning = ciphertextBeginning(keyId);
  const read = database.statement<SealedSetting>(
    `select \`key\`, 0 as version, value, category from settings
     where encrypted = 1 and substr(value, 1, ${beginning.length}) <> ? and \`key\` > ? order by \`key\` limit ${BATCH}`,
  );
  return {
    batch: ({ key }) => read.all(beginning, key),
    async exchange(trx, { key, value }, ciphertext) {
      const changed = await trx('settings').where({ key, encrypted: 1, value }).update({ value: ciphertext });
      return changed > 0;
    },
  };
}

/** @param keyId as it appears in ciphertexts */
export function versionsOffKey(database: Database, keyId: string): SettingsOffKey {
  const beginning = ciphertextBeginning(keyId);
  const read = database.statement<SealedSetting>(
    `select \`key\`, version, value, category from setting_versions
     where encrypted = 1 and substr(value, 1, ${beginning.length}) <> ? and (\`key\` > ? or (\`key\` = ? and version > ?))
     order by \`key\`, version limit ${BATCH}`,
  );
  return {
    batch: ({ key, version }) => read.all(beginning, key, key, version),
    async exchange(trx, { key, version, value }, ciphertext) {
      const changed = await trx('setting_versions').where({ key, version, value }).update({ value: ciphertext });
      return changed > 0;
    },
  };
}

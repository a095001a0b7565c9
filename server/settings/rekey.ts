import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { ActEvent } from '../audit/event.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { type Cipher, CipherError, type CipherProblem, ciphertextBeginning } from '../crypto/cipher.ts';
import type { Database } from '../db/database.ts';
import { isUnavailable } from '../db/errors.ts';
import { raiseSettingsVersion } from './store.ts';

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

const PROBLEMS: Record<CipherProblem, string> = {
  unknown_key: 'it was encrypted with a key that is not configured',
  not_authentic: 'it was modified, or belongs to another setting',
  malformed: 'it is not a ciphertext',
};

/** Remaining work is printed last. */
export function printedRekeyReport({ rekeyed, versions, unopened, unsettled }: RekeyReport): string {
  const lines = [`Encrypted with the current key: ${rekeyed}.`];
  if (versions > 0) lines.push(`Earlier versions of settings, likewise: ${versions}.`);
  if (unopened.length > 0) {
    lines.push(`No key decrypts these; they were left unchanged: ${unopened.length}.`);
    for (const { key, version, problem } of unopened)
      lines.push(`  ${key}${version === undefined ? '' : `, earlier version ${version}`}: ${PROBLEMS[problem]}`);
    if (unopened.some(({ version }) => version !== undefined))
      lines.push('Earlier versions can be removed with the history of their setting.');
  }
  if (unsettled > 0)
    lines.push(
      'Settings are still being encrypted with an older key. Configure the current key on every replica, then run this again.',
    );
  if (isDone({ unopened, unsettled })) lines.push('No setting needs an older key any more.');
  return `${lines.join('\n')}\n`;
}

export const isDone = ({ unopened, unsettled }: Pick<RekeyReport, 'unopened' | 'unsettled'>): boolean =>
  unopened.length === 0 && unsettled === 0;

/** Lets the service's own writes through. */
const PAUSE_MS = 20;
/** How often to retry if a replica still encrypts with the older key. */
const PASSES = 5;
const TRIES = 10;
const RETRY_MS = 1_000;

export interface RekeyReport {
  /** Encrypted with the current key by this run. */
  rekeyed: number;
  /** Earlier versions of settings, likewise. */
  versions: number;
  /** Left unchanged, since no key decrypts them; with a version, it is an earlier one. */
  unopened: readonly { key: string; version?: number; problem: CipherProblem }[];
  /** Kept being written with an older key during this run. */
  unsettled: number;
}

/**
 * Re-encrypts settings of older keys, and their earlier versions, with the current key, in batches, while services are
 * running: what changes meanwhile is skipped and retried. Committed batches stay: repeat an interrupted run. Values,
 * timestamps and categories stay the same; each setting is recorded in the transaction of its batch.
 * @param options.onProgress called after each batch with the number of settings and versions so far
 * @throws an error that `isUnavailable` recognises if the database stays unavailable
 */
export async function rekeySettings(options: {
  database: Database;
  cipher: Cipher;
  audit: Pick<AuditTrail, 'lock' | 'recordAll'>;
  onProgress?: (rekeyed: number) => void;
  retryMs?: number;
}): Promise<RekeyReport> {
  const { database, cipher, audit, onProgress = () => {}, retryMs = RETRY_MS } = options;
  const { current } = cipher.keyIds;
  // Settings first: what replaces one while this runs keeps the older ciphertext as a version.
  const stores = [settingsOffKey(database, current), versionsOffKey(database, current)];
  const unopened = new Map<string, RekeyReport['unopened'][number]>();
  const done = { rekeyed: 0, versions: 0 };

  /** Undefined if no key decrypts it. */
  function resealed(sealed: SealedSetting): Resealed | undefined {
    const { key, version } = sealed;
    const context = { setting: key };
    try {
      return { ...sealed, fresh: cipher.encrypt(cipher.decrypt(sealed.value, context), context) };
    } catch (error) {
      if (!(error instanceof CipherError)) throw error;
      unopened.set(`${version} ${key}`, { key, ...(version > 0 && { version }), problem: error.code });
      return undefined;
    }
  }

  const save = (store: SettingsOffKey, batch: readonly Resealed[]): Promise<Resealed[]> =>
    database.transaction(async (trx) => {
      await audit.lock(trx);
      const saved: Resealed[] = [];
      for (const sealed of batch) if (await store.exchange(trx, sealed, sealed.fresh)) saved.push(sealed);
      if (saved.length > 0) await audit.recordAll(written(saved), trx);
      // Replicas that lacked the older key can read these now.
      if (saved.some(({ version }) => version === 0)) await raiseSettingsVersion(trx);
      return saved;
    });

  /** @returns how many it found that a key decrypts */
  async function pass(store: SettingsOffKey): Promise<number> {
    let found = 0;
    let after = { key: '', version: 0 };
    for (;;) {
      const batch = await patiently(() => store.batch(after), retryMs);
      const last = batch.at(-1);
      if (last === undefined) return found;
      const openable = batch.map(resealed).filter((sealed) => sealed !== undefined);
      found += openable.length;
      const saved = openable.length === 0 ? [] : await patiently(() => save(store, openable), retryMs);
      for (const { version } of saved) done[version === 0 ? 'rekeyed' : 'versions'] += 1;
      onProgress(done.rekeyed + done.versions);
      after = last;
      await sleep(PAUSE_MS);
    }
  }

  let unsettled = 0;
  for (let passes = 0; passes < PASSES; passes += 1) {
    unopened.clear();
    unsettled = 0;
    for (const store of stores) unsettled += await pass(store);
    if (unsettled === 0) break;
  }
  return { ...done, unopened: [...unopened.values()], unsettled };
}

type Resealed = SealedSetting & { fresh: string };

/** A record of each setting; of earlier versions, one for all those of a setting. */
function written(saved: readonly Resealed[]): ActEvent[] {
  const counts = new Map<string, number>();
  for (const { key } of saved) counts.set(key, (counts.get(key) ?? 0) + 1);
  const first = saved.filter(({ key }, index) => saved[index - 1]?.key !== key);
  return first.map(({ key, version, category }) => ({
    action: 'setting_write',
    actor: 'command-line',
    target: key,
    details: {
      created: false,
      encrypted: true,
      ...(version === 0 ? { category } : { versions: counts.get(key) ?? 0 }),
      rekeyed: true,
    },
  }));
}

/** A lock held for long, or a server restart, is no reason to start over. */
async function patiently<T>(work: () => Promise<T>, retryMs: number): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await work();
    } catch (error) {
      if (tries === TRIES || !isUnavailable(error)) throw error;
      await sleep(retryMs);
    }
  }
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Setting } from '../../shared/settings.ts';
import type { ActEvent } from '../audit/event.ts';
import type { AuditTrail } from '../audit/trail.ts';
import { type Cipher, type CipherProblem, ciphertextPrefix } from '../crypto/cipher.ts';
import type { Database } from '../db/database.ts';
import { retry } from '../db/errors.ts';
import { openValue, raiseSettingsVersion } from './store.ts';

/** Small, because a batch delays all other writes on SQLite, and all audited acts on MySQL. */
const BATCH = 32;

/** An encrypted setting (version 0), or an earlier version of one, as stored. */
type SealedSetting = Pick<Setting, 'key' | 'value' | 'category'> & { version: number };

/** The settings, or their earlier versions, that are encrypted with any key other than the given one. */
function notEncryptedWith(database: Database, keyId: string, table: 'settings' | 'setting_versions') {
  const prefix = ciphertextPrefix(keyId);
  const ofSettings = table === 'settings';
  const read = database.statement<SealedSetting>(
    `select \`key\`, ${ofSettings ? '0 as version' : 'version'}, value, category from ${table}
     where encrypted = 1 and substr(value, 1, ${prefix.length}) <> ?
     and ${ofSettings ? '`key` > ? order by `key`' : '(`key` > ? or (`key` = ? and version > ?)) order by `key`, version'}
     limit ${BATCH}`,
  );
  return {
    /** The batch after this one, in byte order of the keys and then by version; empty at the end. */
    batch: ({ key, version }: Pick<SealedSetting, 'key' | 'version'>) =>
      ofSettings ? read.all(prefix, key) : read.all(prefix, key, key, version),
    /** Replaces the ciphertext unless it has changed since it was read. @returns whether it was replaced */
    async replace(trx: Knex.Transaction, { key, version, value }: SealedSetting, ciphertext: string) {
      const row = ofSettings ? { key, encrypted: 1, value } : { key, version, value };
      return (await trx(table).where(row).update({ value: ciphertext })) > 0;
    },
  };
}

type SealedSettings = ReturnType<typeof notEncryptedWith>;

const PROBLEMS: Record<CipherProblem, string> = {
  unknown_key: 'it was encrypted with a key that is not configured',
  not_authentic: 'it was modified, or belongs to another setting',
  malformed: 'it is not a ciphertext',
};

/** What is left to do is printed last. */
export function printedRekeyReport(report: RekeyReport): string {
  const { rekeyed, versions, unopened, unsettled } = report;
  const lines = [`Encrypted with the current key: ${rekeyed}.`];
  if (versions > 0) lines.push(`Earlier versions encrypted with the current key: ${versions}.`);
  if (unopened.length > 0) {
    lines.push(`Left unchanged because no key decrypts them: ${unopened.length}.`);
    for (const { key, version, problem } of unopened)
      lines.push(`  ${key}${version === undefined ? '' : `, earlier version ${version}`}: ${PROBLEMS[problem]}`);
    if (unopened.some(({ version }) => version !== undefined))
      lines.push('Earlier versions can be removed with the history of their setting.');
  }
  if (unsettled > 0)
    lines.push(
      'Settings are still being encrypted with an older key. Configure the current key on every replica, then run this again.',
    );
  if (isDone(report)) lines.push('No setting needs an older key any more.');
  return `${lines.join('\n')}\n`;
}

export const isDone = ({ unopened, unsettled }: RekeyReport): boolean => unopened.length === 0 && unsettled === 0;

/** The pause between two batches, which lets the service's own writes through. */
const PAUSE_MS = 20;
/** How many times to go through all settings while a replica still encrypts with an older key. */
const PASSES = 5;
const TRIES = 10;
const RETRY_MS = 1_000;

export interface RekeyReport {
  /** Encrypted with the current key by this run. */
  rekeyed: number;
  /** Earlier versions of settings encrypted with the current key by this run. */
  versions: number;
  /** Left unchanged because no key decrypts them; `version` is set for an earlier version. */
  unopened: { key: string; version?: number; problem: CipherProblem }[];
  /** Settings that were written again and again with an older key during this run. */
  unsettled: number;
}

/**
 * Re-encrypts settings that use older keys, and their earlier versions, with the current key, in batches, while
 * services are running: what changes in the meantime is skipped and retried. Committed batches stay, so an interrupted
 * run can be repeated. Values, timestamps and categories stay the same; each setting is recorded in the transaction of
 * its batch.
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
  /** Retries for a while: a long wait for a lock or a restart of the server should not mean starting over. */
  const patiently = <T>(work: () => Promise<T>): Promise<T> => retry(work, { attempts: TRIES, pauseMs: () => retryMs });
  const { current } = cipher.keyIds;
  // Settings first: one that is replaced during the run leaves its older ciphertext as a version.
  const stores = (['settings', 'setting_versions'] as const).map((table) => notEncryptedWith(database, current, table));
  const report: RekeyReport = { rekeyed: 0, versions: 0, unopened: [], unsettled: 0 };

  /** Empty if no key decrypts it. */
  function resealed(sealed: SealedSetting): Resealed[] {
    const { key, version, value } = sealed;
    const plain = openValue(cipher, key, value);
    if (typeof plain === 'string') return [{ ...sealed, fresh: cipher.encrypt(plain, { setting: key }) }];
    report.unopened.push({ key, ...(version > 0 && { version }), problem: plain.code });
    return [];
  }

  const save = (store: SealedSettings, batch: readonly Resealed[]): Promise<Resealed[]> =>
    database.transaction(async (trx) => {
      await audit.lock(trx);
      const saved: Resealed[] = [];
      for (const sealed of batch) if (await store.replace(trx, sealed, sealed.fresh)) saved.push(sealed);
      if (saved.length > 0) await audit.recordAll(written(saved), trx);
      // Replicas that lacked the older key can read these now.
      if (saved.some(({ version }) => version === 0)) await raiseSettingsVersion(trx);
      return saved;
    });

  async function pass(store: SealedSettings): Promise<void> {
    let after = { key: '', version: 0 };
    for (;;) {
      const batch = await patiently(() => store.batch(after));
      const last = batch.at(-1);
      if (last === undefined) return;
      const openable = batch.flatMap(resealed);
      report.unsettled += openable.length;
      const saved = openable.length === 0 ? [] : await patiently(() => save(store, openable));
      for (const { version } of saved) report[version === 0 ? 'rekeyed' : 'versions'] += 1;
      onProgress(report.rekeyed + report.versions);
      after = last;
      await sleep(PAUSE_MS);
    }
  }

  for (let passes = 0; passes < PASSES; passes += 1) {
    Object.assign(report, { unopened: [], unsettled: 0 });
    for (const store of stores) await pass(store);
    if (report.unsettled === 0) break;
  }
  return report;
}

type Resealed = SealedSetting & { fresh: string };

/** One record for each setting, and one for all earlier versions of a setting. */
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

import { setTimeout as sleep } from 'node:timers/promises';
import type { ActEvent } from '../../audit/audit-event.ts';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import { type Cipher, CipherError, type CipherProblem } from '../../crypto/cipher.ts';
import type { Database } from '../../db/database.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import { type SealedSetting, type SettingsOffKey, settingsOffKey, versionsOffKey } from './settings-off-key.ts';
import { raiseSettingsVersion } from './settings-version.ts';

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

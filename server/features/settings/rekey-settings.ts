import { setTimeout as sleep } from 'node:timers/promises';
import type { AuditTrail } from '../../audit/audit-trail.ts';
import { type Cipher, CipherError, type CipherProblem } from '../../crypto/cipher.ts';
import type { Database } from '../../db/database.ts';
import { isUnavailable } from '../../db/unavailable.ts';
import { type SealedSetting, settingsOffKey } from './settings-off-key.ts';

/** Lets the service's own writes through. */
const PAUSE_MS = 20;
/** How often to retry if a replica still encrypts with the older key. */
const PASSES = 5;
const TRIES = 10;
const RETRY_MS = 1_000;

export interface RekeyReport {
  /** Encrypted with the current key by this run. */
  rekeyed: number;
  /** Left unchanged, since no key decrypts them. */
  unopened: readonly { key: string; problem: CipherProblem }[];
  /** Kept being written with an older key during this run. */
  unsettled: number;
}

/**
 * Re-encrypts settings of older keys with the current key, in batches, while services are running: a setting that
 * changes meanwhile is skipped and retried. Committed batches stay: repeat an interrupted run. Values,
 * timestamps and categories stay the same; each setting is recorded in the transaction of its batch.
 * @param options.onProgress called after each batch with the number of settings so far
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
  const store = settingsOffKey(database, cipher.keyIds.current);
  const unopened = new Map<string, CipherProblem>();
  let rekeyed = 0;

  /** Undefined if no key decrypts it. */
  function resealed(setting: SealedSetting): Resealed | undefined {
    const context = { setting: setting.key };
    try {
      return { ...setting, fresh: cipher.encrypt(cipher.decrypt(setting.value, context), context) };
    } catch (error) {
      if (!(error instanceof CipherError)) throw error;
      unopened.set(setting.key, error.code);
      return undefined;
    }
  }

  const save = (batch: readonly Resealed[]): Promise<number> =>
    database.transaction(async (trx) => {
      await audit.lock(trx);
      const saved: Resealed[] = [];
      for (const setting of batch) if (await store.exchange(trx, setting, setting.fresh)) saved.push(setting);
      if (saved.length > 0) await audit.recordAll(saved.map(written), trx);
      return saved.length;
    });

  /** @returns how many settings it found that a key decrypts */
  async function pass(): Promise<number> {
    let found = 0;
    let after = '';
    for (;;) {
      const batch = await patiently(() => store.batch(after), retryMs);
      const last = batch.at(-1);
      if (last === undefined) return found;
      const openable = batch.map(resealed).filter((setting) => setting !== undefined);
      found += openable.length;
      if (openable.length > 0) rekeyed += await patiently(() => save(openable), retryMs);
      onProgress(rekeyed);
      after = last.key;
      await sleep(PAUSE_MS);
    }
  }

  let unsettled = 0;
  for (let passes = 0; passes < PASSES; passes += 1) {
    unopened.clear();
    unsettled = await pass();
    if (unsettled === 0) break;
  }
  return { rekeyed, unopened: [...unopened].map(([key, problem]) => ({ key, problem })), unsettled };
}

type Resealed = SealedSetting & { fresh: string };

const written = ({ key, category }: Resealed) => ({
  action: 'setting_write' as const,
  actor: 'command-line',
  target: key,
  details: { created: false, encrypted: true, category, rekeyed: true },
});

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

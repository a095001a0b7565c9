import { type AuditChain, auditChain } from '../audit/audit-chain.ts';
import { type AuditTrail, createAuditTrail } from '../audit/audit-trail.ts';
import type { Config } from '../config/config.ts';
import { type Cipher, createCipher } from '../crypto/cipher.ts';
import { derivedKeys } from '../crypto/signer.ts';
import { changePoll } from '../db/change-poll.ts';
import { type NoticingDatabase, noticingFullDisk } from '../db/full-disk.ts';
import { withoutDriverText } from '../db/not-ready.ts';
import { openDatabase } from '../db/open-database.ts';
import { prepareDatabase } from '../db/prepare-database.ts';
import { type CachedSettings, cachedSettings } from '../features/settings/cached-settings.ts';
import { createSettingsVault, type SettingsVault } from '../features/settings/settings-vault.ts';
import type { Log } from '../log/log.ts';
import type { MemoryBudgets } from '../process/memory.ts';
import { createRevocations, type Revocations } from '../session/revocations.ts';
import { type Authorization, createCredentials, type KeyPresence, keyPresence } from '../upstream/credentials.ts';

/** The database, and everything that is made of nothing but it and the keys. */
export interface Storage {
  database: NoticingDatabase;
  cipher: Cipher;
  settings: CachedSettings;
  vault: SettingsVault;
  audit: AuditTrail;
  chain: AuditChain;
  revocations: Revocations;
  /** The stored keys of the upstreams. */
  authorization: Authorization;
  hasKey: KeyPresence;
  /**
   * Brings the tables to this release, or waits until another process has, and follows what other replicas change. If it
   * fails, the database is closed.
   * @throws DatabaseNotReady if the database stays away, or lacks the tables of this release
   */
  prepare(signal?: AbortSignal): Promise<void>;
  /** Milliseconds since the changes of other processes were read. */
  sincePollMs(): number;
  /** Everything but the audit trail, which is drained before. */
  close(): Promise<void>;
}

/**
 * Connects to nothing yet: without `prepare`, a command can look at a database and change nothing of it.
 * @param options.now milliseconds since the epoch
 * @param options.monotonic milliseconds on a monotonic clock
 */
export function openStorage(
  config: Config,
  options: { memory: MemoryBudgets; log: Log; now: () => number; monotonic: () => number },
): Storage {
  const { memory, log, now, monotonic } = options;
  const database = noticingFullDisk(openDatabase(config.database, log), monotonic);
  const auditKeys = derivedKeys(config.sessionKeys, 'audit-trail');
  const audit = createAuditTrail({ database, keys: auditKeys, log, now, capacity: memory.auditRecords });
  const revocations = createRevocations({ database, log, now, monotonic });
  const cipher = createCipher(config.encryptionKeys);
  const settings = cachedSettings({ database, cipher, ttlSeconds: config.settingsCacheTtlSeconds, monotonic, log });
  const changes = changePoll({ database, log, settings: settings.follow, revocations: revocations.follow });
  const authorization = createCredentials(settings);
  return {
    database,
    cipher,
    settings,
    vault: createSettingsVault({ database, cipher, audit, onChange: settings.invalidate, now }),
    audit,
    chain: auditChain(auditKeys),
    revocations,
    authorization,
    hasKey: keyPresence(authorization),
    async prepare(signal) {
      try {
        await prepareDatabase(database, { address: config.database, migrations: config.migrations, log, signal });
        await changes.start();
      } catch (error) {
        await database.close();
        throw withoutDriverText(error);
      }
    },
    sincePollMs: changes.sinceMs,
    async close() {
      changes.close();
      revocations.close();
      await database.close();
    },
  };
}

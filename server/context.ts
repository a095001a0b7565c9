import { identityService, type UpstreamName } from '../shared/upstreams.ts';
import { type AuditChain, auditChain } from './audit/chain.ts';
import { type AuditTrail, createAuditTrail } from './audit/trail.ts';
import type { Config, OperatorsApi } from './config/config.ts';
import { type Cipher, createCipher } from './crypto/cipher.ts';
import { derivedKeys } from './crypto/signer.ts';
import { changePoll } from './db/change-poll.ts';
import { type NoticingDatabase, noticingFullDisk, withoutDriverText } from './db/errors.ts';
import { openDatabase, prepareDatabase } from './db/open-database.ts';
import type { Log } from './log.ts';
import type { MemoryBudgets } from './process/memory.ts';
import { createRevocations, type Revocations } from './session/revocations.ts';
import { type CachedSettings, cachedSettings } from './settings/cache.ts';
import { createSettingsVault, type SettingsVault } from './settings/vault.ts';
import { type AdminClient, type AdminClientOptions, adminClient } from './upstream/admin-client.ts';
import {
  type Authorization,
  createCredentials,
  type KeyPresence,
  keyPresence,
  operatorsAuthorization,
} from './upstream/credentials.ts';
import type { ObserveUpstream } from './upstream/failure.ts';
import { bodyBudget } from './upstream/fetch.ts';
import { type IdentityStore, identityStore } from './upstream/identity-store.ts';

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

/** Clients of the admin APIs that the dashboard itself asks. */
export interface Platform {
  /** The operators' store, and the OAuth server that they sign in at. */
  operatorsApi: AdminClientOptions;
  signInApi: AdminClientOptions;
  /** Undefined if no store is configured. */
  operators: IdentityStore | undefined;
  /** The deployment's own identities. */
  identities: IdentityStore;
  oauthAdmin: AdminClient;
  /** Which store and which OAuth server these are, as one text. */
  address: string;
}

/**
 * @param authorization the stored keys
 * @param observe told how each request ended
 */
export function platformClients(
  config: Config,
  authorization: Authorization,
  memory: MemoryBudgets,
  observe?: ObserveUpstream,
): Platform {
  const { store, oauthAdmin } = config.auth;
  const own = identityService(config.deployment).adminApi;
  const timeoutMs = config.proxyTimeoutMs;
  const budget = memory.answerBytes === undefined ? undefined : bodyBudget(memory.answerBytes);
  const apiOf = (name: UpstreamName): AdminClientOptions => ({
    url: config.upstreams.find((upstream) => upstream.name === name)?.url,
    timeoutMs,
    budget,
    authorization: () => authorization(name),
    observe: observe && ((outcome, seconds) => observe(name, 'dashboard', outcome, seconds)),
  });
  const publicApi = (url: string | undefined): AdminClientOptions => {
    const upstream = config.upstreams.find((candidate) => candidate.url === url);
    return upstream === undefined ? { ...apiOf(own), url, authorization: async () => undefined } : apiOf(upstream.name);
  };
  const operatorsOf = (api: OperatorsApi, counted: UpstreamName): AdminClientOptions => ({
    ...apiOf(api.upstream ?? counted),
    url: api.url,
    authorization: operatorsAuthorization(api, authorization),
  });
  const operatorsApi = operatorsOf(store, own);
  return {
    operatorsApi,
    signInApi: operatorsOf(oauthAdmin, 'oauth-admin'),
    operators: store.url === undefined ? undefined : identityStore(operatorsApi, publicApi(store.publicUrl)),
    identities: identityStore(apiOf(own), apiOf(identityService(config.deployment).publicApi)),
    oauthAdmin: adminClient(apiOf('oauth-admin')),
    address: `${apiOf(own).url} ${apiOf('oauth-admin').url}`,
  };
}

import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chainWatch } from '../audit/chain-watch.ts';
import { auditSearch } from '../audit/search.ts';
import { chainWalk } from '../audit/verify.ts';
import type { Config, OperatorsApi } from '../config/config.ts';
import { openStorage, platformClients, type Storage } from '../context.ts';
import { reasonOf } from '../db/errors.ts';
import { namesOfRun } from '../db/migrate.ts';
import { operators } from '../features/security/operators.ts';
import { type Check, type Finding, lockOut, pass, unknown } from '../features/security/posture/check.ts';
import { allChecks } from '../features/security/posture/posture.ts';
import { accessFor } from '../gate/access.ts';
import { geoFiles } from '../geo/geo-file.ts';
import { geoLookup } from '../geo/geo-lookup.ts';
import type { Log } from '../log.ts';
import { memoryBudgets, usableMemory } from '../process/memory.ts';
import { settingsByKey } from '../settings/store.ts';
import type { Authorization } from '../upstream/credentials.ts';

/** `away`: nothing can be read; `empty`: there are no tables yet. */
export type DatabaseState = 'away' | 'empty' | 'filled';

export interface FoundDatabase {
  finding: Finding;
  state: DatabaseState;
  storage: Storage;
}

const REACH_TIMEOUT_MS = 3_000;
const TO_DO: Record<string, string> = {
  ER_ACCESS_DENIED_NO_PASSWORD_ERROR: 'Name user and password in DATABASE_URL, percent-encoded.',
  ER_ACCESS_DENIED_ERROR: 'Correct user and password in DATABASE_URL, percent-encoded, or create that user.',
  ER_DBACCESS_DENIED_ERROR: 'Grant the user in DATABASE_URL its rights on that database.',
  HANDSHAKE_NO_SSL_SUPPORT: 'Set up TLS on the server, or correct ssl-mode in DATABASE_URL.',
  HANDSHAKE_SSL_ERROR: 'Correct ssl-mode and ssl-ca in DATABASE_URL, or the server’s certificate.',
  ER_BAD_DB_ERROR: 'Create the database that DATABASE_URL names.',
};

/**
 * Opens the database that the configuration names, without changing it, and closes it after `work`. A file of SQLite that
 * does not exist is not created.
 */
export async function withDatabase(
  config: Config,
  log: Log,
  now: () => number,
  work: (found: FoundDatabase) => Promise<void>,
): Promise<void> {
  const { database } = config;
  if (database.client === 'mysql') return opened(config, log, now, reached, work);
  const readOnly = (path: string): Config => ({ ...config, database: { client: 'sqlite', path, readOnly: true } });
  if (existsSync(database.path)) return opened(readOnly(database.path), log, now, reached, work);
  const folder = mkdtempSync(join(tmpdir(), 'doctor-'));
  const path = join(folder, 'empty.sqlite');
  try {
    writeFileSync(path, '');
    const finding = pass('There is no file yet: the service creates it when it starts.');
    await opened(readOnly(path), log, now, async (storage) => ({ finding, state: 'empty', storage }), work);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function opened(
  config: Config,
  log: Log,
  now: () => number,
  reach: (storage: Storage) => Promise<FoundDatabase>,
  work: (found: FoundDatabase) => Promise<void>,
): Promise<void> {
  const memory = memoryBudgets(usableMemory());
  const storage = openStorage(config, { memory, log, now, monotonic: () => performance.now() });
  try {
    await work(await reach(storage));
  } finally {
    await storage.close();
  }
}

async function reached(storage: Storage): Promise<FoundDatabase> {
  const { database } = storage;
  const timeout = new AbortController();
  const tooLate = sleep(REACH_TIMEOUT_MS, undefined, { signal: timeout.signal, ref: false }).then(
    () => {
      throw Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' });
    },
    () => [],
  );
  try {
    const names = await Promise.race([database.ping().then(() => namesOfRun(database)), tooLate]);
    const what = database.client === 'sqlite' ? 'The file can be read' : 'It responds';
    return names.length > 0
      ? { finding: pass(`${what}.`), state: 'filled', storage }
      : { finding: pass(`${what}, and has no tables yet.`), state: 'empty', storage };
  } catch (error) {
    const code = String((error as { code?: unknown }).code);
    const action = TO_DO[code] ?? 'Correct the address in DATABASE_URL, or start the database.';
    return {
      finding: lockOut(`It cannot be used: ${reasonOf(error)}. What is stored was not checked.`, action),
      state: 'away',
      storage,
    };
  } finally {
    timeout.abort();
  }
}

/** They read tables. */
const OF_TABLES = new Set<string>([
  'session_key_rotation',
  'encryption_key_rotation',
  'previous_keys',
  'secrets_on_previous_key',
  'second_factor',
  'audit_chain',
]);
/** They need a database that responds. */
const OF_DATABASE = new Set<string>(['upstream_keys', 'database_session', 'database_rights', 'migrations']);
/** Only the process that holds the queue knows. */
const OF_THE_SERVICE = 'audit_queue';

/** Hydra leads to its sign-in page without a challenge as well, and refuses only after the consent. */
const PKCE: Check<string> = {
  id: 'pkce',
  title: 'PKCE is demanded',
  why: 'Otherwise somebody who intercepts an authorization code can use it.',
  look: async () =>
    unknown(
      'No request that changes nothing tells whether the OAuth 2.0 server demands it.',
      'Set oauth2.pkce.enforced_for_public_clients: true in the configuration of Hydra.',
    ),
};

/**
 * The checks of the posture for a service that does not run: without those that nothing can answer yet.
 * @param options.storage not prepared
 * @param options.now milliseconds since the epoch
 */
export function checksBeforeStart(options: {
  config: Config;
  storage: Storage;
  state: DatabaseState;
  log: Log;
  now: () => number;
}): { checks: readonly Check<string>[]; close(): Promise<void> } {
  const { config, storage, state, log, now } = options;
  const { database, cipher } = storage;
  const monotonic = () => performance.now();
  // Without tables no key is stored; the platform is then asked without one.
  const authorization: Authorization =
    state === 'filled' ? storage.authorization : Object.assign(async () => undefined, { atHand: () => undefined });
  const platform = platformClients(config, authorization, memoryBudgets(usableMemory()));
  const search = auditSearch(database);
  const chain = chainWatch({
    walk: chainWalk(database, storage.chain),
    head: search.head,
    log,
    now,
    elapsed: monotonic,
  });
  const checks = allChecks({
    config,
    adminAccess: accessFor(config),
    database,
    auditChain: storage.chain,
    encryptionKeyIds: cipher.keyIds,
    keyNeeds: settingsByKey(database),
    authorization,
    hasKey: async (name) => (await authorization(name)) !== undefined,
    operators: operators({ search, store: platform.operators, withRole: 'no_index', now, elapsed: monotonic }).list,
    chain: chain.state,
    queue: () => ({ taken: 0, waiting: 0, dropped: 0, failing: false }),
    geoFiles: geoLookup(geoFiles(config.geoDatabase), monotonic).states,
    store: platform.operators,
    signIn: platform.signInApi,
    started: false,
    ...{ now, monotonic, log },
  });
  // What their keys are, only the database may know.
  const keyIsUnknown = ({ key, upstream }: OperatorsApi): boolean =>
    state === 'away' && key === undefined && upstream !== undefined;
  const canAnswer = ({ id }: Check): boolean =>
    id !== OF_THE_SERVICE &&
    (state === 'filled' || !OF_TABLES.has(id)) &&
    (state !== 'away' || !OF_DATABASE.has(id)) &&
    !(id === 'administrators' && keyIsUnknown(config.auth.store)) &&
    !(id === 'oauth_client' && keyIsUnknown(config.auth.oauthAdmin));
  return { checks: [...checks.filter(canAnswer), PKCE], close: chain.close };
}

import { auditSearch } from '../audit/audit-search.ts';
import { chainWatch } from '../audit/chain-watch.ts';
import { chainWalk } from '../audit/verify-chain.ts';
import type { Config, OperatorsApi } from '../config/config.ts';
import { platformClients } from '../deps/platform.ts';
import type { Storage } from '../deps/storage.ts';
import { operators } from '../features/security/operators.ts';
import { type Check, unknown } from '../features/security/posture/check.ts';
import { allChecks } from '../features/security/posture/security-posture.ts';
import { settingsByKey } from '../features/settings/settings-by-key.ts';
import { imaginedAccess } from '../gate/admin-access.ts';
import { geoLookup } from '../geo/geo-lookup.ts';
import { geoFiles } from '../geo/installed-country-file.ts';
import type { Log } from '../log/log.ts';
import { memoryBudgets, usableMemory } from '../process/memory.ts';
import type { Authorization } from '../upstream/credentials.ts';
import type { DatabaseState } from './database.ts';

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
    adminAccess: imaginedAccess(config),
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

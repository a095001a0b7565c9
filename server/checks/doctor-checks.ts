import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { chainWatch } from '../audit/chain-watch.ts';
import { auditSearch } from '../audit/search.ts';
import { chainWalk } from '../audit/verify.ts';
import type { Config, OperatorsApi } from '../config/config.ts';
import { openStorage, platformClients, type Storage, SYSTEM_CLOCK } from '../context.ts';
import type { Database } from '../db/database.ts';
import { actionOn, reasonOf } from '../db/errors.ts';
import { namesOfRun } from '../db/migrate.ts';
import { operatorList } from '../features/security/operators.ts';
import { accessFor } from '../gate/access.ts';
import { geoFiles } from '../geo/geo-file.ts';
import { geoLookup } from '../geo/geo-lookup.ts';
import type { Log } from '../log.ts';
import { type Authorization, keyPresence } from '../upstream/credentials.ts';
import { type Check, critical, type Finding, type Need, pass, unknown } from './check.ts';
import { postureChecks } from './posture.ts';

export interface FoundDatabase {
  finding: Finding;
  /** `empty`: there are no tables yet. */
  state: 'unreachable' | 'empty' | 'filled';
}

const REACH_TIMEOUT_MS = 3_000;

const monotonic = () => performance.now();

/**
 * Opens the configured database without changing it, and closes it after `work`. A missing SQLite file is not created.
 */
export async function withDatabase(
  config: Config,
  log: Log,
  now: () => number,
  work: (found: FoundDatabase, storage: Storage) => Promise<void>,
): Promise<void> {
  let { database } = config;
  let folder: string | undefined;
  if (database.client === 'sqlite' && !existsSync(database.path)) {
    folder = mkdtempSync(join(tmpdir(), 'doctor-'));
    database = { client: 'sqlite', path: join(folder, 'empty.sqlite') };
    writeFileSync(database.path, '');
  }
  if (database.client === 'sqlite') database = { ...database, readOnly: true };
  const storage = openStorage({ ...config, database }, log, { ...SYSTEM_CLOCK, now });
  const finding = pass('There is no file yet: the service creates it when it starts.');
  try {
    await work(folder === undefined ? await found(storage.database) : { finding, state: 'empty' }, storage);
  } finally {
    await storage.close();
    if (folder !== undefined) rmSync(folder, { recursive: true });
  }
}

async function found(database: Database): Promise<FoundDatabase> {
  const timeout = sleep(REACH_TIMEOUT_MS, undefined, { ref: false }).then(() => {
    throw Object.assign(new Error('no response in time'), { code: 'ETIMEDOUT' });
  });
  try {
    const names = await Promise.race([database.ping().then(() => namesOfRun(database)), timeout]);
    const what = database.client === 'sqlite' ? 'The file can be read' : 'It responds';
    return names.length > 0
      ? { finding: pass(`${what}.`), state: 'filled' }
      : { finding: pass(`${what}, and has no tables yet.`), state: 'empty' };
  } catch (error) {
    return {
      finding: critical(`It cannot be used: ${reasonOf(error)}. Its contents have not been checked.`, actionOn(error)),
      state: 'unreachable',
    };
  }
}

/** Hydra redirects to its sign-in page even without a challenge, and refuses the request only after the consent. */
const PKCE: Check = {
  title: 'PKCE is required',
  why: 'Without it, anyone who intercepts an authorization code can use it.',
  look: () =>
    unknown(
      'Whether the OAuth 2.0 server requires it cannot be checked without changing something.',
      'Set oauth2.pkce.enforced_for_public_clients: true in the configuration of Hydra.',
    ),
};

/**
 * The posture checks that work before the service runs.
 * @param options.storage need not be prepared
 */
export function checksBeforeStart(options: {
  config: Config;
  storage: Storage;
  state: FoundDatabase['state'];
  log: Log;
  now: () => number;
}): { checks: Record<string, Check>; close(): Promise<void> } {
  const { config, storage, state, log, now } = options;
  const { database } = storage;
  // Without tables, no keys are stored, so services are called without a key.
  const noKey: Authorization = async () => undefined;
  const { authorization, hasKey } = state === 'filled' ? storage : { authorization: noKey, hasKey: keyPresence(noKey) };
  const platform = platformClients({ ...storage, authorization });
  const search = auditSearch(database);
  const walk = chainWalk(database, storage.chain);
  const chain = chainWatch({ walk, head: search.head, log, now, elapsed: monotonic });
  const checks = postureChecks({
    ...{ ...storage, config, authorization, hasKey, platform, log, now, monotonic },
    adminAccess: accessFor(config),
    chainState: chain.state,
    listOperators: operatorList({ search, store: platform.operators, withRole: 'no_index', clock: storage.clock }),
    geoFiles: geoLookup(geoFiles(config.geoDatabase), monotonic).states,
    started: false,
  });
  /** False if the key may be stored in an unreachable database. */
  const isKeyKnown = ({ key, upstream }: OperatorsApi): boolean =>
    state !== 'unreachable' || key !== undefined || upstream === undefined;
  const has: Record<Need, boolean> = {
    service: false,
    database: state !== 'unreachable',
    tables: state === 'filled',
    'store key': isKeyKnown(config.auth.store),
    'OAuth admin key': isKeyKnown(config.auth.oauthAdmin),
  };
  const possible = Object.entries(checks).filter(([, { needs }]) => needs === undefined || has[needs]);
  return { checks: { ...Object.fromEntries(possible), pkce: PKCE }, close: chain.close };
}

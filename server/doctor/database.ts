import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { namesOfRun } from '../db/migration-state.ts';
import { reasonOf } from '../db/not-ready.ts';
import { openStorage, type Storage } from '../deps/storage.ts';
import { type Finding, lockOut, pass } from '../features/security/posture/check.ts';
import type { Log } from '../log/log.ts';
import { memoryBudgets, usableMemory } from '../process/memory.ts';

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

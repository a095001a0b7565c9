import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';
import type { DatabaseAddress } from './database-address.ts';
import type { LockTimes, MigrationLog } from './migration-lock.ts';
import { migrationState, refuseBroken } from './migration-state.ts';
import { DatabaseNotReady, reasonOf, withoutDriverText } from './not-ready.ts';
import { migrate, openDatabase, warnOfForeign } from './open-database.ts';
import { persistently } from './persistently.ts';
import { isUnavailable } from './unavailable.ts';

export interface PrepareTimes {
  /** How long a database may be away. */
  awayMs: number;
  /** How long migrations may be missing that another process is to run. */
  missingMs: number;
  everyMs: number;
  lock?: LockTimes;
}

export const PREPARE_TIMES: PrepareTimes = { awayMs: 30_000, missingMs: 60_000, everyMs: 1_000 };
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * What must hold before anything is read: the database is there, and has the tables of this release.
 * @param options.address of this database
 * @param options.migrations `run` applies what is missing; `wait` leaves that to another process, and changes no table
 * @param options.signal ends the waiting
 * @returns the names of the migrations that were applied here
 * @throws DatabaseNotReady with a message for a person
 */
export async function prepareDatabase(
  database: Database,
  options: {
    address: DatabaseAddress;
    migrations: 'run' | 'wait';
    log: MigrationLog;
    signal?: AbortSignal;
    times?: PrepareTimes;
  },
): Promise<readonly string[]> {
  const { address, migrations, log, signal, times = PREPARE_TIMES } = options;
  // A pool of its own, since a pool logs every connection that fails.
  const probe = openDatabase(address, { warn: () => {} });
  try {
    await untilThere(probe, log, times, signal).finally(probe.close);
    if (migrations === 'run') return await migrate(database, log, { signal, times: times.lock });
    await untilApplied(database, log, times, signal);
    return [];
  } catch (error) {
    throw withoutDriverText(error);
  }
}

async function untilThere(
  { knex }: Database,
  log: MigrationLog,
  { awayMs, everyMs }: PrepareTimes,
  signal?: AbortSignal,
): Promise<void> {
  const end = performance.now() + awayMs;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return void (await knex.raw('select 1').timeout(CONNECT_TIMEOUT_MS));
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      const seconds = awayMs / 1000;
      if (attempt === 1) log.warn({ error }, `the database is unavailable: waiting for it, at most ${seconds} seconds`);
      if (performance.now() > end) {
        log.warn({ error }, 'the database stayed unavailable');
        throw new DatabaseNotReady(
          `The database was unavailable for ${seconds} seconds (${reasonOf(error)}): ` +
            'check DATABASE_URL, and whether its server is running.',
        );
      }
    }
    await sleep(everyMs, undefined, { signal });
  }
}

async function untilApplied(
  database: Database,
  log: MigrationLog,
  { missingMs, everyMs }: PrepareTimes,
  signal?: AbortSignal,
): Promise<void> {
  const end = performance.now() + missingMs;
  for (let attempt = 1; ; attempt += 1) {
    const state = await persistently(() => migrationState(database));
    refuseBroken(state);
    const { missing, foreign } = state;
    if (missing.length === 0) return warnOfForeign(foreign, log);
    const seconds = missingMs / 1000;
    if (attempt === 1) log.warn({ migrations: missing }, `migrations are missing: waiting at most ${seconds} seconds`);
    if (performance.now() > end)
      throw new DatabaseNotReady(
        `Migrations are still missing after ${seconds} seconds: ${missing.join(', ')}. ` +
          'Run “node dist/server/main.js migrate” with a database user that may change tables, or unset MIGRATIONS.',
      );
    await sleep(everyMs, undefined, { signal });
  }
}

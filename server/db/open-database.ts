import { setTimeout as sleep } from 'node:timers/promises';
import { lowStatementLimit } from './checks.ts';
import type { Database } from './database.ts';
import type { DatabaseAddress } from './database-address.ts';
import { actionOn, DatabaseNotReady, isUnavailable, reasonOf, retry, withoutDriverText } from './errors.ts';
import type { DatabaseLog } from './knex.ts';
import { migrationState, runMigrations } from './migrate.ts';
import { LOCK_TIMES, LockLost, type LockTimes, type MigrationLog, migrationLock } from './migration-lock.ts';
import { openMysql } from './mysql.ts';
import { openSqlite } from './sqlite.ts';

export const PREPARE_TIMES = {
  /** How long to wait for a database that is unavailable. */
  awayMs: 30_000,
  /** How long to wait for migrations that another process has to run. */
  missingMs: 60_000,
  everyMs: 1_000,
};

type PrepareTimes = typeof PREPARE_TIMES & { lock?: LockTimes };

const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Makes sure, before anything is read, that the database is available and has this release's tables.
 * @param options.migrations `run` applies missing migrations; `wait` leaves them to another process, and changes no
 * table
 * @returns the names of the migrations that this process applied
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
  const { address, migrations, log, signal } = options;
  const times: PrepareTimes = options.times ?? PREPARE_TIMES;
  // A separate pool, since a pool logs every connection that fails.
  const probe = openDatabase(address, { warn: () => {} });
  try {
    await untilThere(probe, log, times, signal).finally(probe.close);
    const bytes = await retry(() => lowStatementLimit(database));
    if (bytes !== undefined)
      log.warn({ bytes }, 'the database refuses large statements: raise max_allowed_packet to at least 1 MiB');
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
      if (attempt === 1) log.warn({ error }, `the database is unavailable: waiting up to ${seconds} seconds`);
      if (performance.now() > end) {
        log.warn({ error }, 'the database is still unavailable');
        throw new DatabaseNotReady(
          `The database was unavailable for ${seconds} seconds: ${reasonOf(error)}. ${actionOn(error)}`,
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
    const { missing, foreign } = await retry(() => migrationState(database));
    if (missing.length === 0) return warnOfForeign(foreign, log);
    const seconds = missingMs / 1000;
    if (attempt === 1) log.warn({ migrations: missing }, `migrations are missing: waiting up to ${seconds} seconds`);
    if (performance.now() > end)
      throw new DatabaseNotReady(
        `Migrations are still missing after ${seconds} seconds: ${missing.join(', ')}. ` +
          'Run “node dist/server/main.js migrate” with a database user that may change tables, or unset MIGRATIONS.',
      );
    await sleep(everyMs, undefined, { signal });
  }
}

const LOOK_MS = 500;

/** Opens a database lazily: the first query connects, and fails if it is unavailable (see `isUnavailable`). */
export const openDatabase = (address: DatabaseAddress, log: DatabaseLog, monotonic?: () => number): Database =>
  address.client === 'sqlite' ? openSqlite(address, log) : openMysql(address.server, log, monotonic);

/**
 * Applies pending migrations. If several processes start together, one migrates, and the others wait as long as it
 * gives signs of life. Nothing is written if no migration is missing.
 * @param options.signal ends the wait for another process, or the migrations after the current one
 * @returns the names of the migrations that this process applied
 * @throws DatabaseNotReady if this release cannot work on the database, which is then unchanged
 */
export async function migrate(
  database: Database,
  log: MigrationLog,
  options: { signal?: AbortSignal; times?: LockTimes } = {},
): Promise<readonly string[]> {
  const lock = migrationLock(database, log, options.times ?? LOCK_TIMES);
  const applied: string[] = [];
  for (;;) {
    const { missing, foreign } = await retry(() => migrationState(database));
    if (missing.length === 0) {
      if (applied.length > 0) log.info({ migrations: applied }, 'migrations applied');
      warnOfForeign(foreign, log);
      return applied;
    }
    const done = await lock
      .whileOurs((prove) => runMigrations(database, prove, applied, options.signal))
      .catch((error) => {
        if (!(error instanceof LockLost)) throw error;
        log.warn({ migrations: applied }, 'another process has taken over and is continuing the migrations');
        return false;
      });
    if (!done) await sleep(LOOK_MS, undefined, { signal: options.signal });
  }
}

/** They belong to a release that has begun to replace this one, or that this one has replaced. */
function warnOfForeign(foreign: readonly string[], log: MigrationLog): void {
  if (foreign.length > 0)
    log.warn({ migrations: foreign }, 'a later release has applied migrations unknown to this one');
}

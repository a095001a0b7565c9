import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from './database.ts';
import type { DatabaseAddress } from './database-address.ts';
import { DatabaseNotReady, isUnavailable, persistently, reasonOf, withoutDriverText } from './errors.ts';
import type { DatabaseLog } from './knex.ts';
import {
  CREATIONS,
  isFormer,
  type MigrationState,
  migrationState,
  namesOfRun,
  type Ran,
  refuseBroken,
  runMigrations,
  stateAfter,
} from './migrate.ts';
import { LOCK_TIMES, LockLost, type LockTimes, type MigrationLog, migrationLock } from './migration-lock.ts';
import { openMysql } from './mysql.ts';
import type { LifeOptions } from './mysql-session.ts';
import { openSqlite } from './sqlite.ts';

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

/** What a start finds. */
export interface StateAtStart extends MigrationState {
  /** Why this release does not start on the database; undefined if it does. */
  refusal?: string;
}

/** Reads only: a database of before 0.1.0 counts as what taking it over makes of it. */
export async function stateAtStart(database: Database): Promise<StateAtStart> {
  const names = await namesOfRun(database);
  try {
    const state = stateAfter((await isFormer(database.knex, names)) ? CREATIONS : names);
    refuseBroken(state);
    return state;
  } catch (error) {
    if (!(error instanceof DatabaseNotReady)) throw error;
    return { missing: [], foreign: [], refusal: error.message };
  }
}

const LOOK_MS = 500;

/** Opens a database lazily: the first query connects, and fails if it is unavailable (see `isUnavailable`). */
export const openDatabase = (address: DatabaseAddress, log: DatabaseLog, options?: LifeOptions): Database =>
  address.client === 'sqlite' ? openSqlite(address, log) : openMysql(address.server, log, options);

/**
 * Applies pending migrations. Of several processes starting together, one migrates; the others wait until nothing is
 * missing, as long as it gives signs of life. Nothing is written if nothing is missing.
 * @param options.signal ends the wait for another process, not the work
 * @returns the names of the migrations that this process applied
 * @throws DatabaseNotReady when the database is too old, or a later release has changed it so that this one cannot work
 * with it; it is then unchanged
 */
export async function migrate(
  database: Database,
  log: MigrationLog,
  options: { signal?: AbortSignal; times?: LockTimes } = {},
): Promise<readonly string[]> {
  const lock = migrationLock(database, log, options.times ?? LOCK_TIMES);
  const ran: Ran = { taken: [], applied: [] };

  async function state(): Promise<MigrationState> {
    const names = await namesOfRun(database);
    await isFormer(database.knex, names);
    const found = stateAfter(names);
    refuseBroken(found);
    return found;
  }

  for (;;) {
    const { missing, foreign } = await persistently(state);
    if (missing.length === 0) {
      if (ran.taken.length > 0) log.info({ migrations: ran.taken }, 'database of a build before 0.1.0 taken over');
      if (ran.applied.length > 0) log.info({ migrations: ran.applied }, 'migrations applied');
      warnOfForeign(foreign, log);
      return [...ran.taken, ...ran.applied];
    }
    const done = await lock
      .whileOurs((prove) => runMigrations(database, prove, ran))
      .catch((error) => {
        if (!(error instanceof LockLost)) throw error;
        log.warn({ migrations: ran.applied }, 'another process has taken over and goes on with the migrations');
        return false;
      });
    if (!done) await sleep(LOOK_MS, undefined, { signal: options.signal });
  }
}

/** Of a release that has begun to replace this one, or that this one has replaced. */
export function warnOfForeign(foreign: readonly string[], log: MigrationLog): void {
  if (foreign.length > 0)
    log.warn({ migrations: foreign }, 'a later release has applied migrations unknown to this one');
}

import { setTimeout as sleep } from 'node:timers/promises';
import type { LifeOptions } from './connection-life.ts';
import type { Database } from './database.ts';
import type { DatabaseAddress } from './database-address.ts';
import type { DatabaseLog } from './knex-options.ts';
import { LOCK_TIMES, LockLost, type LockTimes, type MigrationLog, migrationLock } from './migration-lock.ts';
import { type MigrationState, namesOfRun, refuseBroken, stateAfter } from './migration-state.ts';
import { openMysql } from './mysql-database.ts';
import { persistently } from './persistently.ts';
import { type Ran, runMigrations } from './run-migrations.ts';
import { openSqlite } from './sqlite-database.ts';
import { isFormer } from './take-over.ts';

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

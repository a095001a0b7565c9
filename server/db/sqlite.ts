import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import createKnex, { type Knex } from 'knex';
import type { Database, Statement } from './database.ts';
import { DatabaseUnavailable } from './errors.ts';
import { type DatabaseLog, isBusy, knexOptions, type SqliteAddress } from './knex.ts';

/**
 * SQLite keeps using files that were removed or replaced: what it writes to them is lost when the process ends.
 * @returns a function that remembers the files on its first call, and throws DatabaseUnavailable if they are later
 * missing or replaced
 */
function filesInPlace(path: string, onLoss: () => void): () => void {
  /** Name → identity of the file first seen there. */
  const identities = new Map<string, string>();
  let lost = false;

  function isInPlace(name: string): boolean {
    const found = statSync(name, { bigint: true, throwIfNoEntry: false });
    const identity = found && `${found.dev}:${found.ino}`;
    const expected = identities.get(name);
    if (expected === undefined && identity !== undefined) identities.set(name, identity);
    return expected === undefined || expected === identity;
  }

  return () => {
    const inPlace = [path, `${path}-wal`, `${path}-shm`].every(isInPlace);
    if (!inPlace && !lost) onLoss();
    lost = !inPlace;
    if (lost) throw new DatabaseUnavailable('the database file was removed or replaced');
  };
}

const WRITE_LOCK_WAIT_MS = 5_000;

type Prepared<Row> = Sqlite.Statement<(string | number)[], Row>;

/** One connection writes, through knex; a second one reads, so that reads never wait for a transaction in progress. */
export function openSqlite(address: SqliteAddress, log: DatabaseLog): Database {
  const { path } = address;
  const knex = createKnex(knexOptions(address, log));
  const requireFiles = filesInPlace(resolve(path), () =>
    log.warn(
      { part: 'sqlite' },
      'the database file was removed or replaced: nothing is stored until it is restored or the service is restarted',
    ),
  );
  let reader: Sqlite.Database | undefined;
  let closed = false;
  const readConnection = (): Sqlite.Database => {
    if (closed) throw new DatabaseUnavailable('the database is closed');
    reader ??= new Sqlite(resolve(path), { readonly: true, fileMustExist: true, timeout: 1_000 });
    return reader;
  };

  async function transaction<T>(work: (trx: Knex.Transaction) => Promise<T>): Promise<T> {
    const outcome = await knex.transaction(async (trx) => {
      await takeWriteLock(await trx.client.acquireConnection());
      requireFiles();
      return work(trx);
    });
    // A write to a file that was removed during the transaction is lost, so it must not be acknowledged.
    requireFiles();
    return outcome;
  }

  return {
    client: 'sqlite',
    knex,
    transaction,
    statement<Row>(sql: string): Statement<Row> {
      let prepared: Prepared<Row> | undefined;
      const statement = (): Prepared<Row> => {
        prepared ??= readConnection().prepare<(string | number)[], Row>(sql);
        return prepared;
      };
      return {
        get: async (...bindings) => statement().get(...bindings),
        all: async (...bindings) => statement().all(...bindings),
      };
    },
    async ping() {
      requireFiles();
      readConnection().prepare('select name from sqlite_master limit 1').get();
    },
    async close() {
      closed = true;
      // The writer is closed last, since the last connection to close removes the write-ahead log.
      reader?.close();
      await knex.destroy();
    },
  };
}

/**
 * Turns the deferred transaction that knex began into one that holds the write lock from its start: otherwise a read
 * followed by a write could fail at any time. Waits between attempts, since the holder may be this process.
 */
async function takeWriteLock(connection: Sqlite.Database): Promise<void> {
  const deadline = performance.now() + WRITE_LOCK_WAIT_MS;
  connection.exec('COMMIT');
  for (;;) {
    try {
      connection.pragma('busy_timeout = 0');
      connection.exec('BEGIN IMMEDIATE');
      return;
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) {
        // knex is about to roll back, which needs a transaction.
        connection.exec('BEGIN');
        throw error;
      }
    } finally {
      connection.pragma('busy_timeout = 5000');
    }
    await sleep(2 + Math.random() * 8);
  }
}

import type { Database } from './database.ts';

/** A database that remembers writes that failed because the disk was full. */
export interface NoticingDatabase extends Database {
  /** Whether one failed within the last ten seconds. */
  foundFull(): boolean;
}

const REMEMBER_MS = 10_000;
const CODES = new Set(['SQLITE_FULL', 'ER_RECORD_FILE_FULL', 'ER_DISK_FULL']);

/**
 * On a full disk, a server still accepts what fits into an allocated page: a small probe would succeed while larger
 * writes fail.
 * @param monotonic milliseconds on a monotonic clock
 */
export function noticingFullDisk(database: Database, monotonic: () => number): NoticingDatabase {
  let fullAt = Number.NEGATIVE_INFINITY;
  return {
    ...database,
    async transaction(work) {
      try {
        return await database.transaction(work);
      } catch (error) {
        if (saysFull(error)) fullAt = monotonic();
        throw error;
      }
    },
    foundFull: () => monotonic() - fullAt < REMEMBER_MS,
  };
}

const saysFull = (error: unknown): boolean =>
  error instanceof Error && (CODES.has(String((error as { code?: unknown }).code)) || saysFull(error.cause));

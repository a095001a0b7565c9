import type { Database } from './database.ts';

/** A database that remembers when a write found no room. */
export interface NoticingDatabase extends Database {
  /** Whether that was within the last ten seconds. */
  foundFull(): boolean;
}

const REMEMBER_MS = 10_000;
const CODES = new Set(['SQLITE_FULL', 'ER_RECORD_FILE_FULL', 'ER_DISK_FULL']);

/**
 * On a full disk a server still takes what fits into a page that it has: a small probe would call that well while larger
 * writes fail.
 * @param monotonic milliseconds on a clock that only goes forward
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

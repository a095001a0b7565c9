import { statSync } from 'node:fs';
import { DatabaseUnavailable } from './unavailable.ts';

/** SQLite keeps using files that were removed or replaced: what it writes there is lost when the process ends. */
export interface SqliteFiles {
  /**
   * From the first call on, the files must stay where they are.
   * @throws DatabaseUnavailable if one was removed or replaced
   */
  requireInPlace(): void;
}

/** @param path of the main file; the write-ahead log and its index are next to it */
export function sqliteFiles(path: string, onLoss: () => void): SqliteFiles {
  /** Name → identity of the file first seen there. */
  const known = new Map<string, string>();
  let lost = false;

  function isInPlace(name: string): boolean {
    const found = statSync(name, { bigint: true, throwIfNoEntry: false });
    const identity = found && `${found.dev}:${found.ino}`;
    const expected = known.get(name);
    if (expected === undefined && identity !== undefined) known.set(name, identity);
    return expected === undefined || expected === identity;
  }

  return {
    requireInPlace() {
      const inPlace = [path, `${path}-wal`, `${path}-shm`].every(isInPlace);
      if (!inPlace && !lost) onLoss();
      lost = !inPlace;
      if (lost) throw new DatabaseUnavailable('the database file was removed or replaced');
    },
  };
}

import { statSync } from 'node:fs';
import { DatabaseUnavailable } from './unavailable.ts';

/** SQLite goes on with files that nobody finds any more: what it writes there is lost when the process ends. */
export interface SqliteFiles {
  /**
   * From the first call on, the files that stand at their names must stay there.
   * @throws DatabaseUnavailable when one of them was removed or replaced
   */
  requireInPlace(): void;
}

/** @param path of the main file; the write-ahead log and its index lie beside it */
export function sqliteFiles(path: string, onLoss: () => void): SqliteFiles {
  /** Name → which file stood there first. */
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

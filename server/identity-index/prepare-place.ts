import { ConfigurationError } from '../config/parse-config.ts';
import type { Database } from '../db/database.ts';
import { SqliteConnection } from '../db/sqlite-driver.ts';
import type { Log } from '../log/log.ts';
import { removeFormerFiles } from './former-files.ts';
import { refusalOf } from './index-file.ts';
import type { IndexPlace } from './index-place.ts';

/**
 * Looks at the start of the service whether the index can be where it is to be, and removes its earlier files.
 * @param given.now milliseconds since the epoch
 * @returns whether there is an index
 * @throws ConfigurationError for a file that must not be used
 */
export async function preparePlace(
  place: IndexPlace,
  given: { database: Database; now: () => number; log: Log },
): Promise<boolean> {
  const refusal = place.file && refusalOf(place.file.path, place.database);
  if (refusal !== undefined) throw new ConfigurationError([`IDENTITY_INDEX ${refusal}`]);
  if (!hasSqlite()) {
    if (place.memoryBytes > 0)
      given.log.warn({ variable: 'IDENTITY_INDEX' }, 'there is no index: the driver of SQLite cannot be loaded');
    return false;
  }
  await removeFormerFiles(place, given).catch((error) =>
    given.log.warn({ error }, 'earlier files of the index could not be looked for'),
  );
  return place.memoryBytes > 0;
}

/** Its package is optional, and loads its native part with the first connection. */
function hasSqlite(): boolean {
  try {
    new SqliteConnection(':memory:').close();
    return true;
  } catch {
    return false;
  }
}

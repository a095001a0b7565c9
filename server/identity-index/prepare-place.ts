import { ConfigurationError } from '../config/parse-config.ts';
import type { Database } from '../db/database.ts';
import type { Log } from '../log/log.ts';
import { removeFormerFiles } from './former-files.ts';
import { refusalOf } from './index-file.ts';
import type { IndexPlace } from './index-place.ts';

/**
 * Looks at the start of the service whether the index can be where it is to be, and removes its earlier files.
 * @param given.now milliseconds since the epoch
 * @throws ConfigurationError for a file that must not be used
 */
export async function preparePlace(
  place: IndexPlace,
  given: { database: Database; now: () => number; log: Log },
): Promise<void> {
  const refusal = place.file && refusalOf(place.file.path, place.database);
  if (refusal !== undefined) throw new ConfigurationError([`IDENTITY_INDEX ${refusal}`]);
  await removeFormerFiles(place, given).catch((error) =>
    given.log.warn({ error }, 'earlier files of the index could not be looked for'),
  );
}

import Sqlite from 'better-sqlite3';
import type { Database } from '../db/database.ts';
import type { Log } from '../log/log.ts';
import { isLost } from './index-database.ts';
import { indexFacts } from './index-facts.ts';
import { identityOf, refusalOf, removeFile } from './index-file.ts';

/** Rows of other machines stay for so long: nobody else can tell whether their files are gone. */
const FORGOTTEN_SECONDS = 365 * 24 * 60 * 60;

interface Place {
  file: { path: string } | undefined;
  owner: { deployment: string };
  database: string | undefined;
  port: number;
}

/**
 * Removes the files that the process at this port kept the index in before, and notes the one it has now: who turns the
 * index off wants nothing to be left of it.
 * @param given.now milliseconds since the epoch
 */
export async function removeFormerFiles(
  place: Place,
  { database, now, log }: { database: Database; now: () => number; log: Log },
): Promise<void> {
  const { port } = place;
  const path = place.file?.path;
  const used_at = Math.floor(now() / 1000);
  const paths: string[] = await database.transaction(async (trx) => {
    await trx('index_files')
      .where('used_at', '<', used_at - FORGOTTEN_SECONDS)
      .delete();
    if (path !== undefined) await trx('index_files').insert({ path, port, used_at }).onConflict('path').merge();
    return trx('index_files').where({ port }).pluck('path');
  });
  const current = path === undefined ? undefined : identityOf(path);
  for (const former of paths) {
    const found = identityOf(former);
    if (former === path || found === undefined || found === current) continue;
    try {
      if (isFree(former, place)) removeFile(former);
    } catch (error) {
      log.warn({ error }, 'an earlier file of the index could not be removed');
    }
  }
}

/** Whether a file is an index of this deployment that no process uses. */
function isFree(path: string, { database, owner }: Place): boolean {
  if (refusalOf(path, database) !== undefined) return false;
  const connection = new Sqlite(path, { fileMustExist: true, timeout: 0 });
  try {
    // Who uses it has locked it.
    return indexFacts(connection).owner().deployment === owner.deployment;
  } catch (error) {
    return isLost(error);
  } finally {
    connection.close();
  }
}

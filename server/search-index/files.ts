import Sqlite from 'better-sqlite3';
import { ConfigurationError } from '../config/parse-config.ts';
import type { Database } from '../db/database.ts';
import type { Log } from '../log.ts';
import { FileUnusable, type IndexDatabase, type IndexFile, isLost, openInFile, openInMemory } from './database.ts';
import { identityOf, indexFacts, type Owner, refusalOf, removeFile } from './file.ts';

/** Where the index is kept, and how much of it. */
export interface IndexPlace {
  /** What it may take in memory, in bytes; 0 if there is no index. */
  memoryBytes: number;
  file: IndexFile | undefined;
  /** Megabytes that its thread may take for JavaScript. */
  heapMegabytes: number;
  owner: Owner;
  /** Path of the dashboard's own database, if that is a file: never the index's. */
  database: string | undefined;
  /** The port of this process, which tells the replicas on one machine apart. */
  port: number;
}

const MB = 1024 * 1024;
const SHARE = 1 / 8;
/** Of a file's pages in memory: enough for a pass, which touches the full-text index all over. */
const CACHE_BYTES = 32 * MB;

/**
 * @param setting.memory bytes that the process may use, and for JavaScript in its thread, besides what grows with the index
 */
export function indexPlace(setting: {
  where: 'memory' | 'off' | { file: string };
  maxMegabytes: number;
  owner: Owner;
  database: string | undefined;
  port: number;
  memory: { usable: number; indexHeapMegabytes: number };
}): IndexPlace {
  const { where, maxMegabytes, owner, database, port, memory } = setting;
  const maxBytes = maxMegabytes * MB;
  const memoryBytes = where === 'off' ? 0 : Math.min(maxBytes, Math.floor(memory.usable * SHARE));
  const cacheBytes = Math.min(CACHE_BYTES, memoryBytes);
  const file = typeof where === 'string' ? undefined : { path: where.file, maxBytes, cacheBytes };
  // Counts by time grow with the index.
  const heapMegabytes = memory.indexHeapMegabytes + Math.ceil((file?.maxBytes ?? memoryBytes) / 8 / MB);
  return { memoryBytes, file, heapMegabytes, owner, database, port };
}

/**
 * Opens the index where it is to be kept, or in memory where the file cannot be used.
 * @param at.now milliseconds since the epoch
 * @param at.anew whatever a file holds
 */
export function openIndex(
  { memoryBytes, file, owner, database }: IndexPlace,
  at: { now: number; anew: boolean },
): { database: IndexDatabase; problem: string | undefined } {
  const inMemory = (): IndexDatabase => openInMemory(memoryBytes, owner, at.now);
  if (file === undefined) return { database: inMemory(), problem: undefined };
  try {
    return { database: openInFile(file, { owner, database, ...at }), problem: undefined };
  } catch (error) {
    if (!(error instanceof FileUnusable)) throw error;
    return { database: inMemory(), problem: error.message };
  }
}

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

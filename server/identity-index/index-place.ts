import { FileUnusable, type IndexDatabase, type IndexFile, openInFile, openInMemory } from './index-database.ts';
import type { Owner } from './index-facts.ts';

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

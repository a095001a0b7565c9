import { createRequire } from 'node:module';
import type SqliteDatabase from 'better-sqlite3';

const major = Number(process.versions.node.split('.')[0]);

/**
 * better-sqlite3 in the release that fits this Node: 13 crashes on Node 20; 12 is built on Node's ObjectWrap, which from
 * Node 24.19 on aborts the process when one of its objects is collected while no JavaScript runs.
 */
export const SqliteConnection = createRequire(import.meta.url)(
  major >= 22 ? 'better-sqlite3-13' : 'better-sqlite3',
) as typeof SqliteDatabase;

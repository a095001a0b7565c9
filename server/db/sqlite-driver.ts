import { createRequire } from 'node:module';
import type SqliteDatabase from 'better-sqlite3';

const PACKAGE = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-13' : 'better-sqlite3';

/**
 * better-sqlite3 in the release that fits this Node: 13 crashes on Node 20; 12 is built on Node's ObjectWrap, which from
 * Node 24.19 on aborts the process when one of its objects is collected while no JavaScript runs. Both are optional
 * dependencies, of which npm leaves out what does not fit; where all were left out, only what uses SQLite fails.
 */
export const SqliteConnection: typeof SqliteDatabase = load();

function load(): typeof SqliteDatabase {
  try {
    return createRequire(import.meta.url)(PACKAGE) as typeof SqliteDatabase;
  } catch (cause) {
    function Missing(): never {
      throw new Error(
        `SQLite needs the package ${PACKAGE} on Node.js ${process.versions.node}, and it is not installed or does not load. “npm ci --omit=optional” leaves it out, and so does an installation by another release of Node.js: install it, or use a MariaDB or MySQL database.`,
        { cause },
      );
    }
    return Missing as unknown as typeof SqliteDatabase;
  }
}

import { createRequire } from 'node:module';
import type SqliteDatabase from 'better-sqlite3';

const PACKAGE = Number(process.versions.node.split('.')[0]) >= 22 ? 'better-sqlite3-13' : 'better-sqlite3';

/**
 * The release of better-sqlite3 that works with this Node: 13 crashes on Node 20; 12 uses Node's ObjectWrap, which
 * since Node 24.19 aborts the process if one of its objects is collected while no JavaScript runs. Both are optional
 * dependencies, and npm omits the one that does not fit. If neither is installed, only what uses SQLite fails.
 */
export const SqliteConnection: typeof SqliteDatabase = load();

function load(): typeof SqliteDatabase {
  try {
    const driver = createRequire(import.meta.url)(PACKAGE) as typeof SqliteDatabase;
    // Its compiled part is loaded with the first database.
    new driver(':memory:').close();
    return driver;
  } catch (cause) {
    function Missing(): never {
      throw new Error(
        `SQLite needs the package ${PACKAGE} on Node.js ${process.versions.node}, but it is not installed or cannot be loaded. “npm ci --omit=optional” omits it, and so does installing with another version of Node.js. Install it (on Node.js 20 it may have to be compiled, with Python and a C++ compiler), or use a MariaDB or MySQL database.`,
        { cause },
      );
    }
    return Missing as unknown as typeof SqliteDatabase;
  }
}

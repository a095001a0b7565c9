import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';
import { DATABASE_FOLDER, type MariadbServer, serverAt, startMariadb } from './mariadb-server.ts';
import { notPortable } from './portable-sql.ts';
import { findTool } from './tools.ts';

const EXTERNAL_URL = process.env['TEST_DATABASE_URL'];

/** Tests on MariaDB are then skipped, or fail with CI=true. */
const mariadbIsMissing = (): boolean => EXTERNAL_URL === undefined && findTool('mariadb') === undefined;

/** Tests with a server of their own cannot use one elsewhere. */
const ownMariadbIsMissing = (): boolean =>
  findTool('mariadb') === undefined && (EXTERNAL_URL !== undefined || process.env['CI'] !== 'true');

let server: Promise<MariadbServer> | undefined;

/** Writes every statement into `mysql.general_log`. */
const LOGGED = ['--general-log=1', '--log-output=TABLE'];

/** Whether a test has created a database since the log was checked: some have servers of their own. */
let isUsed = false;

/** Asserts that MySQL also understands every statement so far. */
async function assertPortable({ query }: MariadbServer): Promise<void> {
  if (EXTERNAL_URL !== undefined || !isUsed) return;
  isUsed = false;
  const rows = await query<{ argument: string }>(
    `select distinct convert(argument using utf8mb4) as argument from mysql.general_log
      where command_type in ('Query', 'Prepare', 'Execute')`,
  );
  await query('truncate mysql.general_log');
  const ofEveryConnection = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED';
  assert.ok(rows.map(({ argument }) => argument).includes(ofEveryConnection), 'statements are logged');
  for (const { argument } of rows) assert.deepEqual(notPortable(argument), [], argument);
}

/** One server for all tests of this process, started on demand; it ends with the process. */
function mariadb(): Promise<MariadbServer> {
  // Nothing has to survive a power failure.
  server ??=
    EXTERNAL_URL === undefined
      ? startMariadb({ args: ['--innodb-flush-log-at-trx-commit=0', '--innodb-log-file-size=16M', ...LOGGED] })
      : Promise.resolve(serverAt(EXTERNAL_URL));
  return server;
}

/** Creates databases for a test, and closes and removes them after it. */
export interface TestDatabases {
  client: Database['client'];
  /** @returns the `DATABASE_URL` of a new, empty database */
  create(): Promise<string>;
  open(url: string): Database;
  /** Creates and opens a database with all tables. */
  createMigrated(): Promise<{ url: string; database: Database }>;
}

const QUIET = { warn: () => {}, info: () => {} };

interface DatabasesOptions {
  /** The promise depends on the server (locks, isolation, outages, replicas), so that `npm test` also runs it on MariaDB. */
  server?: boolean;
}

/**
 * Defines the same tests on SQLite and on MariaDB. Unless `server` is set, `npm test` runs them on SQLite alone and
 * `npm run test:rest` on MariaDB; for one file, `npx mocha --grep "(MariaDB in place of SQLite)" FILE` does.
 */
export function describeOnDatabases(
  title: string,
  tests: (databases: TestDatabases) => void,
  { server = false }: DatabasesOptions = {},
): void {
  describe(title, function () {
    describe('(SQLite)', () => tests(forEachTest('sqlite', createSqlite)));
    const isOnBoth = server || /\.all\.test\.tsx?$/.test(this.file ?? '');
    if (!isOnBoth && process.env['TEST_DATABASES'] !== 'mariadb') return;
    // A suite that skipped itself would still run its last hooks, which find nothing to close.
    const isSkipped = mariadbIsMissing() && process.env['CI'] !== 'true';
    const name = isOnBoth ? '(MariaDB)' : '(MariaDB in place of SQLite)';
    (isSkipped ? describe.skip : describe)(name, () => onMariadb(tests));
  });
}

function onMariadb(tests: (databases: TestDatabases) => void): void {
  before(async () => {
    await mariadb();
  });
  after(async () => {
    if (server !== undefined) await assertPortable(await server);
  });
  tests(forEachTest('mysql', createOnMariadb));
}

/** For tests that freeze, kill or fill a server, and so cannot share one. */
export function skipWithoutOwnMariadb(mocha: Mocha.Context): void {
  if (ownMariadbIsMissing()) mocha.skip();
}

type Created = { url: string; remove: () => Promise<void> };

function forEachTest(client: Database['client'], createOne: () => Promise<Created>): TestDatabases {
  let cleanUp: (() => Promise<void>)[] = [];
  afterEach(async () => {
    // In reverse order, so that connections are closed before their databases are removed.
    for (const step of cleanUp.reverse()) await step();
    cleanUp = [];
  });

  const open = (url: string): Database => {
    const database = openDatabase(parseDatabaseUrl(url), QUIET);
    cleanUp.push(() => database.close());
    return database;
  };
  const create = async (): Promise<string> => {
    const { url, remove } = await createOne();
    cleanUp.push(remove);
    return url;
  };
  return {
    client,
    create,
    open,
    async createMigrated() {
      const url = await create();
      const database = open(url);
      await migrate(database, QUIET);
      return { url, database };
    },
  };
}

async function createSqlite(): Promise<Created> {
  const directory = await mkdtemp(join(DATABASE_FOLDER, 'dashboard-database-'));
  return {
    url: `sqlite:${join(directory, 'data', 'test.sqlite')}`,
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}

async function createOnMariadb(): Promise<Created> {
  const server = await mariadb();
  const url = await server.createDatabase();
  isUsed = true;
  return { url, remove: () => server.dropDatabase(url) };
}

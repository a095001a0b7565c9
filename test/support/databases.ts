import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import createKnex from 'knex';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';
import { silentLog } from './context.ts';
import { until } from './eventually.ts';
import { untilListening } from './loopback.ts';
import { notPortable } from './portable-sql.ts';
import { findTool } from './tools.ts';

const EXTERNAL_URL = process.env['TEST_DATABASE_URL'];

/** Without MariaDB, tests on it are skipped, or fail with CI=true. */
const mariadbIsMissing = (): boolean => EXTERNAL_URL === undefined && findTool('mariadb') === undefined;

/** Tests that start a server of their own cannot use the one at TEST_DATABASE_URL. */
const ownMariadbIsMissing = (): boolean =>
  findTool('mariadb') === undefined && (EXTERNAL_URL !== undefined || process.env['CI'] !== 'true');

let server: Promise<MariadbServer> | undefined;

/** Arguments of a server that writes every statement into `mysql.general_log`. */
const LOGGED = ['--general-log=1', '--log-output=TABLE'];

/** Whether a test has created a database on the shared server since its log was last checked. */
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
  const ofEveryConnection = 'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE';
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

interface DatabasesOptions {
  /** Whether `npm test` also runs the tests on MariaDB, because they depend on its locks, isolation, outages or replicas. */
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

/** Skips tests that freeze, kill or fill a server, and so cannot share one, if they cannot start one of their own. */
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
    const database = openDatabase(parseDatabaseUrl(url), silentLog);
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
      await migrate(database, silentLog);
      return { url, database };
    },
  };
}

/** Holds the write lock of SQLite. @returns releases it */
export async function lockSqlite(database: Database): Promise<() => Promise<void>> {
  const [locked, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const transaction = database.transaction(() => {
    locked.resolve();
    return released.promise;
  });
  await locked.promise;
  return () => {
    released.resolve();
    return transaction;
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

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 1_000_000_000;

/**
 * The folder for databases: in memory if there is room, since a test would mostly wait for the disk. Data has to survive a
 * killed process, not a power failure.
 */
export const DATABASE_FOLDER = hasRoomInMemory() ? MEMORY : tmpdir();

function hasRoomInMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}

export type MariadbProcess = ReturnType<typeof mariadbProcess>;

/** Only a server that hangs takes longer, even if it is a node that waits for the data of another node. */
const START_MS = 180_000;

/** A MariaDB server as a process that can be frozen, killed and started again. @param socket the path of its socket */
export function mariadbProcess(executable: string, socket: string) {
  let child: ChildProcess | undefined;

  async function ended(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise((resolve) => child?.once('exit', resolve));
  }
  return {
    /** Starts the server, and waits until it accepts connections. */
    async start(args: readonly string[]): Promise<void> {
      await rm(socket, { force: true });
      const started = spawn(executable, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      child = started;
      let output = '';
      started.stderr.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-4_000);
      });
      const deadline = Date.now() + START_MS;
      await untilListening(socket, () =>
        started.exitCode !== null || Date.now() > deadline ? `MariaDB did not start: ${output}` : undefined,
      );
    },
    signal: (signal: NodeJS.Signals): void => void child?.kill(signal),
    /** Stops the process until SIGCONT, and waits until all its threads have stopped, because one could still respond. */
    async freeze(): Promise<void> {
      child?.kill('SIGSTOP');
      await until(() => isStopped(child?.pid));
    },
    ended,
    /** Ends the process, after five seconds with SIGKILL, and waits for its end. */
    async stop(): Promise<void> {
      child?.kill('SIGCONT');
      child?.kill('SIGTERM');
      const timer = setTimeout(() => child?.kill('SIGKILL'), 5_000);
      await ended();
      clearTimeout(timer);
    },
  };
}

/** Whether Linux lists each thread of a process as stopped; true on other systems. */
export function isStopped(pid: number | undefined): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return true;
  return readdirSync(threads).every((thread) => /\) T /.test(readFileSync(join(threads, thread, 'stat'), 'utf8')));
}

/** Creates the data of a new server. */
export function initialise(executable: string, data: string, args: readonly string[]): void {
  const installers = ['../bin', '../sbin', '../scripts'].map((folder) =>
    join(dirname(executable), folder, 'mariadb-install-db'),
  );
  const installer = installers.find(existsSync);
  const { status, stderr } =
    installer === undefined
      ? spawnSync(executable, ['--no-defaults', ...args, '--initialize-insecure', `--datadir=${data}`])
      : spawnSync(installer, [
          '--no-defaults',
          ...args,
          `--datadir=${data}`,
          '--auth-root-authentication-method=normal',
          '--skip-test-db',
        ]);
  if (status !== 0) throw new Error(`MariaDB could not be set up: ${stderr}`);
}

/** A server on which tests create and drop databases. */
export interface MariadbServer {
  /** @returns the `DATABASE_URL` of a new, empty database */
  createDatabase(): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  /** Runs a statement as an administrator, on a new connection. @returns its rows */
  query<Row>(sql: string): Promise<Row[]>;
}

/** A server that can be frozen, killed and started again on the same data. */
export interface OwnMariadb extends MariadbServer, Pick<MariadbProcess, 'signal' | 'freeze' | 'ended'> {
  start(): Promise<void>;
  /** Ends the server and removes its data. */
  close(): Promise<void>;
}

/**
 * Starts a server in a temporary folder, which accepts connections only on a socket there.
 * @param options.data the folder of its files; by default a new one
 * @param options.args more arguments of the server
 */
export async function startMariadb(options: { data?: string; args?: readonly string[] } = {}): Promise<OwnMariadb> {
  const executable = findTool('mariadb');
  if (executable === undefined) throw new Error('MariaDB is not installed');
  const directory = await mkdtemp(join(DATABASE_FOLDER, 'mariadb-'));
  const data = options.data ?? join(directory, 'data');
  const socket = join(directory, 'socket');
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  const args = [
    '--no-defaults',
    ...user,
    `--datadir=${data}`,
    `--socket=${socket}`,
    `--pid-file=${join(directory, 'pid')}`,
    // A server that starts removes the temporary tables of other servers from the folder.
    `--tmpdir=${directory}`,
    '--skip-networking',
    '--skip-log-bin',
    '--innodb-buffer-pool-size=64M',
    ...(options.args ?? []),
  ];
  initialise(executable, data, [...user, `--tmpdir=${directory}`, ...(options.args ?? [])]);
  const { signal, freeze, ended, stop, ...server } = mariadbProcess(executable, socket);

  const endWithProcess = (): void => {
    signal('SIGKILL');
    // The server may write another file before it ends.
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  };
  process.once('exit', endWithProcess);
  await server.start(args);
  return {
    ...serverAt(`mysql://root@localhost/mysql?socketPath=${encodeURIComponent(socket)}`),
    signal,
    freeze,
    ended,
    start: () => server.start(args),
    async close() {
      process.off('exit', endWithProcess);
      await stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** @param url connects as an administrator */
export function serverAt(url: string): MariadbServer {
  async function query<Row>(sql: string): Promise<Row[]> {
    const knex = createKnex({ client: 'mysql2', connection: url, pool: { min: 0, max: 1 } });
    try {
      const [rows] = await knex.raw<[Row[], unknown]>(sql);
      return rows;
    } finally {
      await knex.destroy();
    }
  }
  return {
    async createDatabase() {
      const name = `dashboard_test_${randomBytes(8).toString('hex')}`;
      // The default of old servers: keys must not depend on the collation.
      await query(`create database ${name} character set latin1 collate latin1_swedish_ci`);
      const address = new URL(url);
      address.pathname = `/${name}`;
      return address.href;
    },
    async dropDatabase(address) {
      await query(`drop database ${new URL(address).pathname.slice(1)}`);
    },
    query,
  };
}

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { accessSync, constants, existsSync, readdirSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import createKnex from 'knex';
import { until } from './eventually.ts';
import { findTool } from './tools.ts';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 1_000_000_000;

/**
 * Where databases of tests are made: in memory where there is room, since most of a test's time on one is the disk's. They
 * need to outlive a killed process, not a power cut.
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

/** A MariaDB server as a process that may be frozen, killed and started again. */
export interface MariadbProcess {
  /** Starts it, and waits until it takes connections. */
  start(args: readonly string[]): Promise<void>;
  signal(signal: NodeJS.Signals): void;
  /** Stops it until it is sent SIGCONT, and waits until each of its threads stands still: one may answer until then. */
  freeze(): Promise<void>;
  /** Waits until the process has ended. */
  ended(): Promise<void>;
  /** Ends it, and waits. */
  stop(): Promise<void>;
}

/** Only one that hangs takes longer: a node of a cluster waits for another one to give it its data. */
const START_MS = 180_000;

/** @param socket the file through which it is reached */
export function mariadbProcess(executable: string, socket: string): MariadbProcess {
  let child: ChildProcess | undefined;

  async function ended(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise((resolve) => child?.once('exit', resolve));
  }
  return {
    async start(args) {
      await rm(socket, { force: true });
      child = spawn(executable, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      await untilListening(child, socket);
    },
    signal: (signal) => void child?.kill(signal),
    async freeze() {
      child?.kill('SIGSTOP');
      await until(() => isStopped(child?.pid));
    },
    ended,
    async stop() {
      child?.kill('SIGCONT');
      child?.kill('SIGTERM');
      const timer = setTimeout(() => child?.kill('SIGKILL'), 5_000);
      await ended();
      clearTimeout(timer);
    },
  };
}

/** By Linux' own account; where there is none it is taken for granted. */
export function isStopped(pid: number | undefined): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return true;
  return readdirSync(threads).every((thread) => /\) T /.test(readFileSync(join(threads, thread, 'stat'), 'utf8')));
}

/** Fills the folder of a new server. */
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

async function untilListening(child: ChildProcess, socket: string): Promise<void> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4_000);
  });
  const deadline = Date.now() + START_MS;
  while (!(await isListening(socket))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`MariaDB did not start: ${said}`);
    await sleep(20);
  }
}

/** The socket's file is there a moment before anybody listens to it. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}

/** A server on which the tests may create and drop databases. */
export interface MariadbServer {
  /** A `DATABASE_URL` of a database that is new and empty. */
  createDatabase(): Promise<string>;
  dropDatabase(url: string): Promise<void>;
  /** The rows of an administrator's statement, on a connection of its own. */
  query<Row>(sql: string): Promise<Row[]>;
}

/** A server of a test's own, which may be frozen, killed and started again on the same data. */
export interface OwnMariadb extends MariadbServer, Pick<MariadbProcess, 'signal' | 'freeze' | 'ended'> {
  start(): Promise<void>;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

/**
 * Starts an instance in a temporary folder, reachable through a socket file alone.
 * @param options.data the folder of its files; its own when absent
 * @param options.args of the server, beyond those that make it small
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
    // A server that starts removes what looks like another one's temporary tables.
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
    // It may write a last file until it has ended.
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

/** @param url of an administrator's connection */
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
      // The collation that a careless administrator would get: keys must not depend on it.
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

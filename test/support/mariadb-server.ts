import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import createKnex from 'knex';
import { until } from './becomes.ts';
import { findTool } from './tools.ts';

/** A server on which the tests may create and drop databases. */
export interface MariadbServer {
  /** A `DATABASE_URL` of a database that is new and empty. */
  createDatabase(): Promise<string>;
  dropDatabase(url: string): Promise<void>;
}

/** A server of a test's own, which may be frozen, killed and started again. */
export interface OwnMariadb extends MariadbServer {
  signal(signal: NodeJS.Signals): void;
  /** Stops it until it is sent SIGCONT, and waits until each of its threads stands still: one may answer until then. */
  freeze(): Promise<void>;
  /** Waits until the process has ended. */
  ended(): Promise<void>;
  /** Starts it again on the same data, and waits until it takes connections. */
  start(): Promise<void>;
  /** Ends it and removes its data. */
  close(): Promise<void>;
}

const START_MS = 60_000;

/**
 * Starts an instance in a temporary folder, reachable through a socket file alone.
 * @param options.data the folder of its files; its own when absent
 * @param options.args of the server, beyond those that make it small
 */
export async function startMariadb(options: { data?: string; args?: readonly string[] } = {}): Promise<OwnMariadb> {
  const executable = findTool('mariadb');
  if (executable === undefined) throw new Error('MariaDB is not installed');
  const directory = await mkdtemp(join(tmpdir(), 'mariadb-'));
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
  let child: ChildProcess | undefined;

  const endWithProcess = (): void => {
    child?.kill('SIGKILL');
    // It may write a last file until it has ended.
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  };
  process.once('exit', endWithProcess);
  async function start(): Promise<void> {
    await rm(socket, { force: true });
    child = spawn(executable as string, args, { stdio: ['ignore', 'ignore', 'pipe'] });
    await untilListening(child, socket);
  }
  async function ended(): Promise<void> {
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    await new Promise((resolve) => child?.once('exit', resolve));
  }
  await start();
  return {
    ...serverAt(`mysql://root@localhost/mysql?socketPath=${encodeURIComponent(socket)}`),
    signal: (signal) => void child?.kill(signal),
    async freeze() {
      child?.kill('SIGSTOP');
      await until(() => isStopped(child?.pid));
    },
    ended,
    start,
    async close() {
      process.off('exit', endWithProcess);
      child?.kill('SIGCONT');
      child?.kill('SIGTERM');
      const timer = setTimeout(() => child?.kill('SIGKILL'), 5_000);
      await ended();
      clearTimeout(timer);
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** By Linux' own account; where there is none it is taken for granted. */
function isStopped(pid: number | undefined): boolean {
  const threads = `/proc/${pid}/task`;
  if (!existsSync(threads)) return true;
  return readdirSync(threads).every((thread) => /\) T /.test(readFileSync(join(threads, thread, 'stat'), 'utf8')));
}

function initialise(executable: string, data: string, args: string[]): void {
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

/** @param url of an administrator's connection */
export function serverAt(url: string): MariadbServer {
  async function execute(sql: string): Promise<void> {
    const knex = createKnex({ client: 'mysql2', connection: url, pool: { min: 0, max: 1 } });
    try {
      await knex.raw(sql);
    } finally {
      await knex.destroy();
    }
  }
  return {
    async createDatabase() {
      const name = `dashboard_test_${randomBytes(8).toString('hex')}`;
      // The collation that a careless administrator would get: keys must not depend on it.
      await execute(`create database ${name} character set latin1 collate latin1_swedish_ci`);
      const address = new URL(url);
      address.pathname = `/${name}`;
      return address.href;
    },
    dropDatabase: (address) => execute(`drop database ${new URL(address).pathname.slice(1)}`),
  };
}

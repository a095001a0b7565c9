import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import createKnex from 'knex';
import { findTool } from './tools.ts';

/** A server on which the tests may create and drop databases. */
export interface MariadbServer {
  /** A `DATABASE_URL` of a database that is new and empty. */
  createDatabase(): Promise<string>;
  dropDatabase(url: string): Promise<void>;
}

const EXTERNAL_URL = process.env['TEST_DATABASE_URL'];
const START_MS = 60_000;

/** Without a server there is nothing to test against: a failure where everything must run, a named gap elsewhere. */
export const mariadbIsMissing = (): boolean => EXTERNAL_URL === undefined && findTool('mariadb') === undefined;

let server: Promise<MariadbServer> | undefined;
let stop = async (): Promise<void> => {};

/** One server for all tests of this process, started when the first of them needs it. */
export function mariadb(): Promise<MariadbServer> {
  server ??= EXTERNAL_URL === undefined ? startPrivately() : Promise.resolve(serverAt(EXTERNAL_URL));
  return server;
}

// In Mocha's root suite, since test files import this module while they are loaded.
after(() => stop());

/** An instance of its own in a temporary folder, reachable through a socket file alone. */
async function startPrivately(): Promise<MariadbServer> {
  const executable = findTool('mariadb');
  if (executable === undefined) throw new Error('MariaDB is not installed');
  const directory = await mkdtemp(join(tmpdir(), 'mariadb-'));
  const data = join(directory, 'data');
  const socket = join(directory, 'socket');
  const user = process.getuid?.() === 0 ? ['--user=root'] : [];
  initialise(executable, data, user);
  const child = spawn(
    executable,
    [
      '--no-defaults',
      ...user,
      `--datadir=${data}`,
      `--socket=${socket}`,
      `--pid-file=${join(directory, 'pid')}`,
      '--skip-networking',
      '--skip-log-bin',
      // Nothing here has to outlive a power cut.
      '--innodb-flush-log-at-trx-commit=0',
      '--innodb-buffer-pool-size=64M',
    ],
    { stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const endWithProcess = (): boolean => child.kill('SIGKILL');
  process.once('exit', endWithProcess);
  stop = async () => {
    process.off('exit', endWithProcess);
    await end(child);
    await rm(directory, { recursive: true, force: true });
  };
  await untilListening(child, socket);
  return serverAt(`mysql://root@localhost/mysql?socketPath=${encodeURIComponent(socket)}`);
}

function initialise(executable: string, data: string, user: string[]): void {
  const installers = ['../bin', '../sbin', '../scripts'].map((folder) =>
    join(dirname(executable), folder, 'mariadb-install-db'),
  );
  const installer = installers.find(existsSync);
  const { status, stderr } =
    installer === undefined
      ? spawnSync(executable, ['--no-defaults', ...user, '--initialize-insecure', `--datadir=${data}`])
      : spawnSync(installer, [
          '--no-defaults',
          ...user,
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
  while (!existsSync(socket)) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`MariaDB did not start: ${said}`);
    await sleep(20);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
  await ended;
  clearTimeout(timer);
}

function serverAt(url: string): MariadbServer {
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

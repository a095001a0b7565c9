import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import createKnex from 'knex';
import { DATABASE_FOLDER } from './database-folder.ts';
import { initialise, type MariadbProcess, mariadbProcess } from './mariadb-process.ts';
import { findTool } from './tools.ts';

/** A server on which the tests may create and drop databases. */
export interface MariadbServer {
  /** A `DATABASE_URL` of a database that is new and empty. */
  createDatabase(): Promise<string>;
  dropDatabase(url: string): Promise<void>;
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

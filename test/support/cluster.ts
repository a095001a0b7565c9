import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { cp, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createKnex, { type Knex } from 'knex';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { openDatabase } from '../../server/db/open-database.ts';
import { assertTrailIsIntact } from './audit-trail.ts';
import { initialise, mariadbProcess, serverAt } from './databases.ts';
import { eventually } from './eventually.ts';
import { freePort } from './loopback.ts';
import { SHARED_FOLDER } from './shared-folder.ts';
import { findTool } from './tools.ts';

const LIBRARIES = ['/usr/lib/galera/libgalera_smm.so', '/usr/lib64/galera-4/libgalera_smm.so'];
/** After a kill, a node recovers from its log, and then gets later writes from another node. */
const SYNCED_MS = 60_000;
const NEW_CLUSTER = ['--wsrep-new-cluster'];

type Member = ReturnType<typeof member>;
type GaleraNode = Member['node'];

const galeraIsMissing = (): boolean => findTool('mariadb') === undefined || provider() === undefined;

const provider = (): string | undefined => LIBRARIES.find(existsSync);

/** Starts a cluster on loopback whose servers are reached through socket files. */
export async function startGalera(size = 3) {
  const executable = findTool('mariadb');
  const library = provider();
  if (executable === undefined || library === undefined) throw new Error('MariaDB with Galera is not installed');
  const directory = await mkdtemp(join(SHARED_FOLDER ?? tmpdir(), 'galera-'));
  // The tools that copy data between servers do not run as root.
  const isRoot = process.getuid?.() === 0;
  const user = isRoot ? ['--user=mysql'] : [];
  const first = join(directory, '0', 'data');
  await mkdir(join(directory, '0'));
  if (isRoot) giveToMysql(directory);
  initialise(executable, first, [...user, `--tmpdir=${directory}`]);
  const ports = await Promise.all(Array.from({ length: size }, freePort));
  const address = `gcomm://${ports.map((port) => `127.0.0.1:${port}`).join()}`;
  const members = await Promise.all(
    ports.map(async (port, index) => {
      const folder = join(directory, String(index));
      const transferPorts = [await freePort(), await freePort()] as const;
      return member({ executable, library, folder, user, port, address, transferPorts });
    }),
  );
  const [founder] = members as [Member];

  const endWithProcess = (): void => {
    for (const { node } of members) node.signal('SIGKILL');
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
  };
  process.once('exit', endWithProcess);
  // The other nodes start with a copy of the data, because a transfer would take each of them seconds.
  await founder.begin(NEW_CLUSTER);
  founder.node.signal('SIGTERM');
  await founder.node.ended();
  for (let index = 1; index < size; index += 1)
    await cp(first, join(directory, String(index), 'data'), { recursive: true });
  if (isRoot) giveToMysql(directory);
  await founder.begin(NEW_CLUSTER);
  for (const { begin } of members.slice(1)) await begin([]);
  return {
    ...serverAt(founder.url),
    nodes: members.map(({ node }) => node),
    /** Ends all servers and removes their data. */
    async close() {
      process.off('exit', endWithProcess);
      // Without a majority, a server would wait for the others.
      await Promise.all(
        members.map(async ({ node }) => {
          node.signal('SIGKILL');
          await node.ended();
        }),
      );
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function giveToMysql(directory: string): void {
  const { status, stderr } = spawnSync('chown', ['-R', 'mysql', directory], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
}

interface MemberOptions {
  executable: string;
  library: string;
  folder: string;
  user: readonly string[];
  port: number;
  address: string;
  /** The ports for incremental and for full transfers of data. */
  transferPorts: readonly [number, number];
}

function member({ executable, library, folder, user, port, address, transferPorts }: MemberOptions) {
  const socket = join(folder, 'socket');
  const provided = [`gmcast.listen_addr=tcp://127.0.0.1:${port}`, `ist.recv_addr=127.0.0.1:${transferPorts[0]}`];
  const args = [
    '--no-defaults',
    ...user,
    `--datadir=${join(folder, 'data')}`,
    `--socket=${socket}`,
    `--pid-file=${join(folder, 'pid')}`,
    `--tmpdir=${folder}`,
    '--skip-networking',
    '--binlog-format=ROW',
    '--innodb-autoinc-lock-mode=2',
    '--innodb-buffer-pool-size=64M',
    '--innodb-flush-log-at-trx-commit=0',
    // docs/machines.md gives the reason for this limit.
    '--innodb-lock-wait-timeout=5',
    '--wsrep-on=ON',
    `--wsrep-provider=${library}`,
    `--wsrep-provider-options=${provided.join(';')};gcache.size=64M`,
    `--wsrep-cluster-address=${address}`,
    `--wsrep-node-address=127.0.0.1:${port}`,
    `--wsrep-sst-receive-address=127.0.0.1:${transferPorts[1]}`,
    '--wsrep-sst-method=rsync',
  ];
  const url = `mysql://root@localhost/mysql?socketPath=${encodeURIComponent(socket)}`;
  const { signal, freeze, ended, ...server } = mariadbProcess(executable, socket);

  const connect = (): Knex => createKnex({ client: 'mysql2', connection: url, pool: { min: 0, max: 1 } });
  /** Runs statements on a new connection. @returns the rows of the last one */
  async function query<Row>(...statements: string[]): Promise<Row[]> {
    const knex = connect();
    try {
      let rows: Row[] = [];
      for (const sql of statements) [rows] = await knex.raw<[Row[], unknown]>(sql);
      return rows;
    } finally {
      await knex.destroy();
    }
  }
  // Waits until all writes that other nodes have committed are applied, or fails after a time.
  const CAUSAL_READ = ['set session wsrep_sync_wait = 1', 'select 1 from mysql.user limit 1'];
  async function state(): Promise<string | undefined> {
    const rows = await query<{ Value: string }>(...CAUSAL_READ, `show status like 'wsrep_local_state_comment'`);
    return rows[0]?.Value;
  }
  /** Waits until the node is part of the majority and has applied all writes. */
  const synced = (): Promise<void> => eventually(state, 'Synced', undefined, SYNCED_MS);
  async function begin(further: readonly string[]): Promise<void> {
    await server.start([...args, ...further]);
    await synced();
  }
  return {
    url,
    begin,
    node: {
      signal,
      freeze,
      ended,
      query,
      synced,
      /** Stops the node from applying the writes of others. @returns a function that lets it catch up */
      async fallBehind() {
        const knex = connect();
        await knex.raw('flush tables with read lock');
        return () => knex.destroy();
      },
      /** The address of the same database on this node. */
      through(databaseUrl: string) {
        const own = new URL(url);
        own.pathname = new URL(databaseUrl).pathname;
        return own.href;
      },
      /** Starts the node again, and waits until it is synced. */
      start: () => begin([`--wsrep-start-position=${recoveredPosition(executable, args)}`]),
    },
  };
}

/** The position in the replication history, which a killed server has only in its log. */
function recoveredPosition(executable: string, args: readonly string[]): string {
  const { stderr } = spawnSync(executable, [...args, '--wsrep-recover'], { encoding: 'utf8' });
  const position = /Recovered position:\s*(\S+)/.exec(stderr)?.[1];
  if (position === undefined) throw new Error(`no recovered position: ${stderr.slice(-2_000)}`);
  return position;
}

/** Three database servers, with a new database for each test. A test that ends one must start it again. */
export interface TestCluster {
  node(index: number): GaleraNode;
  /** The address of the test's database through each node. */
  urls(): readonly string[];
  /** Opens the test's database on a node, and closes it after the test. */
  open(index: number): Database;
  /** Verifies the trail on each node. */
  assertTrailIsIntact(): Promise<void>;
}

let shared: ReturnType<typeof startGalera> | undefined;

/** A suite that needs a cluster; it is skipped without Galera. */
export function describeOnCluster(title: string, tests: (cluster: TestCluster) => void): void {
  describe(title, () => {
    let galera: Awaited<ReturnType<typeof startGalera>>;
    let urls: string[] = [];
    let opened: Database[] = [];
    before(async function () {
      if (galeraIsMissing()) this.skip();
      // One cluster for all files of this process; it ends with the process.
      shared ??= startGalera();
      galera = await shared;
    });
    beforeEach(async () => {
      const url = await galera.createDatabase();
      urls = galera.nodes.map((node) => node.through(url));
    });
    afterEach(async () => {
      for (const database of opened) await database.close();
      opened = [];
    });

    function open(index: number): Database {
      const database = openDatabase(parseDatabaseUrl(urls[index] ?? ''), { warn: () => {} });
      opened.push(database);
      return database;
    }
    tests({
      node: (index) => galera.nodes[index] ?? assert.fail(`no node ${index}`),
      urls: () => urls,
      open,
      async assertTrailIsIntact() {
        for (const index of urls.keys()) await assertTrailIsIntact(open(index));
      },
    });
  });
}

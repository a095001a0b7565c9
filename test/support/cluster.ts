import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { openDatabase } from '../../server/db/open-database.ts';
import { type GaleraCluster, type GaleraNode, galeraIsMissing, startGalera } from './galera.ts';
import { assertTrailIsWhole } from './vault.ts';

/** Three database servers, with a new database for each test; whoever ends one of them starts it again. */
export interface TestCluster {
  node(index: number): GaleraNode;
  /** The address of the test's database through each node. */
  urls(): readonly string[];
  /** Opened through a node, closed after the test. */
  open(index: number): Database;
  /** The trail is whole, as each node has it. */
  assertTrailIsWhole(): Promise<void>;
}

let shared: Promise<GaleraCluster> | undefined;

/** Tests that need a cluster; where there is none they are skipped. */
export function describeOnCluster(title: string, tests: (cluster: TestCluster) => void): void {
  describe(title, () => {
    let galera: GaleraCluster;
    let urls: string[] = [];
    let opened: Database[] = [];
    before(async function () {
      this.timeout(120_000);
      if (galeraIsMissing()) this.skip();
      // One for all files of this process, which ends with it.
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
      async assertTrailIsWhole() {
        for (const index of urls.keys()) await assertTrailIsWhole(open(index));
      },
    });
  });
}

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';
import { isUnavailable } from '../../server/db/unavailable.ts';
import { skipWithoutOwnMariadb } from '../support/databases.ts';
import { startMariadb } from '../support/mariadb-server.ts';

/** The service's own time-outs are much shorter. */
const LIMIT_MS = 60_000;
const QUIET = { warn: () => {}, info: () => {} };

describe('a MariaDB server that freezes in the middle of transactions', () => {
  it('leaves none open forever, neither at its begin nor at its commit', async function () {
    skipWithoutOwnMariadb(this);
    this.timeout(3 * LIMIT_MS);
    const server = await startMariadb();
    const database = openDatabase(parseDatabaseUrl(await server.createDatabase()), QUIET);
    try {
      await migrate(database, QUIET);
      // Uses connections that are already open: new ones could not be established.
      let opened = (): void => {};
      let frozen = (): void => {};
      const isOpen = new Promise<void>((resolve) => {
        opened = resolve;
      });
      const isFrozen = new Promise<void>((resolve) => {
        frozen = resolve;
      });
      const committing = database.transaction(async (trx) => {
        await trx('settings').first();
        opened();
        await isFrozen;
      });
      await isOpen;
      await database.transaction((trx) => trx('settings').first());
      await server.freeze();
      const beginning = database.transaction(async () => {});
      frozen();
      const ended = Promise.all([beginning, committing].map((each) => assert.rejects(each, isUnavailable)));
      assert.ok(await Promise.race([ended, sleep(LIMIT_MS, undefined, { ref: false })]), 'one stays open forever');
    } finally {
      server.signal('SIGCONT');
      await database.close();
      await server.close();
    }
  });
});

import assert from 'node:assert/strict';
import { type ChangePoll, changePoll } from '../../server/db/change-poll.ts';
import type { Database } from '../../server/db/database.ts';
import { createLog } from '../../server/log.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { eventually, until } from '../support/eventually.ts';

interface Numbers {
  revocations: number;
  settings: number;
}

describeOnDatabases('the poll for changes by other processes', (databases) => {
  let opened: ChangePoll[] = [];
  afterEach(() => {
    for (const poll of opened) poll.close();
    opened = [];
  });

  function pollOn(database: Database, follow: (numbers: Numbers) => Promise<void>) {
    const lines: string[] = [];
    const log = createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) });
    let settings = 0;
    const poll = changePoll({
      database,
      log,
      pollMs: 10,
      settings(version) {
        settings = version;
      },
      revocations: (revocations) => follow({ revocations, settings }),
    });
    opened.push(poll);
    return { poll, lines };
  }

  it('follows both numbers, whether they rise or fall', async () => {
    const { database } = await databases.migrated();
    let last: Numbers | undefined;
    const { poll } = pollOn(database, async (numbers) => {
      last = numbers;
    });
    await poll.start();
    await database.knex('revocation_version').update({ version: 7 });
    await database.knex('settings_version').update({ version: 3 });
    await eventually(() => last, { revocations: 7, settings: 3 });
    await database.knex('settings_version').update({ version: 2 });
    await eventually(() => last, { revocations: 7, settings: 2 });
  });

  it('goes on when following has failed, which is logged when it begins and when it ends', async () => {
    const { database } = await databases.migrated();
    let failures = 0;
    let succeeded = 0;
    let fails = false;
    const { poll, lines } = pollOn(database, async () => {
      if (!fails) succeeded += 1;
      else {
        failures += 1;
        throw new Error('the rows cannot be read');
      }
    });
    await poll.start();
    fails = true;
    await until(() => failures > 3);
    fails = false;
    const before = succeeded;
    await until(() => succeeded > before + 3);
    assert.equal(lines.length, 2);
    assert.match(lines[0] ?? '', /changes by other processes cannot be read/);
    assert.match(lines[1] ?? '', /changes by other processes can be read again/);
  });
});

import assert from 'node:assert/strict';
import type { Database } from '../../server/db/database.ts';
import { createLog } from '../../server/log.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { until } from '../support/eventually.ts';
import { type PolledRevocations, polledRevocations } from '../support/polled-revocations.ts';

const NOW = Date.UTC(2026, 0, 1);
const IN_AN_HOUR = NOW / 1000 + 3_600;
const A_MINUTE = 60_000;

/** A database, and what is done before the next write to it, as another process might. */
function watched(database: Database): { database: Database; seen: { beforeWrite: () => Promise<unknown> } } {
  const seen = { beforeWrite: async (): Promise<unknown> => undefined };
  const transaction: Database['transaction'] = async (work) => {
    const { beforeWrite } = seen;
    seen.beforeWrite = async () => undefined;
    await beforeWrite();
    return database.transaction(work);
  };
  return { database: { ...database, transaction }, seen };
}

describeOnDatabases('a process that keeps up with revocations', (databases) => {
  let opened: PolledRevocations[] = [];
  afterEach(() => {
    for (const revocations of opened) revocations.close();
    opened = [];
  });

  async function startedOn(url: string) {
    const clock = { elapsed: 0 };
    const lines: string[] = [];
    const log = createLog({ level: 'info', production: false }, { write: (line) => void lines.push(line) });
    const { database, seen } = watched(databases.open(url));
    const revocations = polledRevocations({
      database,
      log,
      now: () => NOW + clock.elapsed,
      monotonic: () => clock.elapsed,
      pollMs: 10,
    });
    opened.push(revocations);
    await revocations.start();
    return { revocations, seen, lines, clock };
  }

  it('stores again all that the database has lost, however much, and nothing that is over', async () => {
    const { url, database } = await databases.migrated();
    const rows = Array.from({ length: 1_001 }, (_, index) => ({
      session_id: `session ${index}`,
      expires_at: index === 0 ? NOW / 1000 + 30 : IN_AN_HOUR,
      version: 1,
    }));
    for (let from = 0; from < rows.length; from += 100)
      await database.knex('revoked_sessions').insert(rows.slice(from, from + 100));
    await database.knex('revocation_version').update({ version: 1 });
    const { clock, lines } = await startedOn(url);
    await database.knex('revoked_sessions').delete();
    clock.elapsed += A_MINUTE;
    await until(() => lines.length > 0);
    const stored = await database.knex('revoked_sessions').select('session_id');
    assert.equal(stored.length, 1_000);
    assert.equal(
      stored.some(({ session_id }) => session_id === 'session 0'),
      false,
    );
  });

  it('stores again beside others that do the same, and takes back nothing that they know better', async () => {
    const { url, database } = await databases.migrated();
    const { revocations, seen, clock, lines } = await startedOn(url);
    await revocations.revokeSession('one', IN_AN_HOUR);
    await revocations.revokeSession('two', IN_AN_HOUR);
    await revocations.raiseEpoch('ada');
    await database.knex('revoked_sessions').delete();
    await database.knex('identity_epochs').delete();
    seen.beforeWrite = async () => {
      await database.knex('revoked_sessions').insert({ session_id: 'one', expires_at: IN_AN_HOUR, version: 4 });
      await database.knex('identity_epochs').insert({ identity_id: 'ada', epoch: 7, version: 4 });
    };
    clock.elapsed += A_MINUTE;
    await until(() => lines.length > 0);
    assert.match(lines[0] ?? '', /missing from the database were stored again/);
    const sessions = await database.knex('revoked_sessions').select('session_id').orderBy('session_id');
    assert.deepEqual(
      sessions.map(({ session_id }) => session_id),
      ['one', 'two'],
    );
    assert.deepEqual(await database.knex('identity_epochs').select('epoch'), [{ epoch: 7 }]);
  });
});

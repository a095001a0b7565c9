import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActEvent } from '../../server/audit/event.ts';
import { createCipher, keyIdOf } from '../../server/crypto/cipher.ts';
import type { Database } from '../../server/db/database.ts';
import { DatabaseUnavailable } from '../../server/db/errors.ts';
import { type RekeyReport, rekeySettings } from '../../server/settings/rekey.ts';
import { ADA } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { auditOn, ENCRYPTION_KEY, recordsOf, vaultOn, verifiedRecords } from '../support/vault.ts';

const FRESH_KEY = 'a-fresh-encryption-key-0123456789-abcdefghijkl';
const OLD = createCipher({ current: ENCRYPTION_KEY });
const FRESH = createCipher({ current: FRESH_KEY });
const BOTH = createCipher({ current: FRESH_KEY, previous: ENCRYPTION_KEY });
const NEXT = createCipher({ current: ENCRYPTION_KEY, previous: FRESH_KEY });

const nameOf = (index: number): string => `key.${String(index).padStart(3, '0')}`;

describeOnDatabases('settings:rekey', (databases) => {
  /** Rows as a service with that key wrote them, without their records. */
  async function fill(database: Database, count: number): Promise<void> {
    const rows = Array.from({ length: count }, (_, index) => ({
      key: nameOf(index),
      value: OLD.encrypt(`secret ${index}`, { setting: nameOf(index) }),
      encrypted: 1,
      category: index % 2 === 0 ? 'even' : null,
      updated_at: '2026-01-01T00:00:00.000Z',
    }));
    await database.knex.batchInsert('settings', rows, 50);
  }
  const rekey = (
    database: Database,
    options: Partial<Parameters<typeof rekeySettings>[0]> = {},
  ): Promise<RekeyReport> =>
    rekeySettings({ database, cipher: BOTH, audit: vaultOn(database).audit, retryMs: 1, ...options });
  const readWith = async (database: Database, cipher = FRESH): Promise<(string | undefined)[]> =>
    (await database.knex('settings').orderBy('key')).map(({ key, value }) => cipher.decrypt(value, { setting: key }));
  const DONE = { versions: 0, unopened: [], unsettled: 0 };

  it('encrypts again all that an older key encrypted, with a record of each, and leaves the rest as it was', async () => {
    const { database } = await databases.migrated();
    await fill(database, 40);
    const { vault, audit } = vaultOn(database, { cipher: FRESH });
    await vault.put({ key: 'plain', value: OLD.encrypt('looks encrypted', { setting: 'plain' }) }, 'ada');
    await vault.put({ key: 'fresh already', value: 'x', encrypted: true }, 'ada');
    const before = await database.knex('settings').orderBy('key');
    const progress: number[] = [];
    let failures = 3;
    const transaction: Database['transaction'] = (work) => {
      failures -= 1;
      return failures >= 0 ? Promise.reject(new DatabaseUnavailable('away')) : database.transaction(work);
    };
    const report = await rekey({ ...database, transaction }, { onProgress: (rekeyed) => progress.push(rekeyed) });
    assert.deepEqual(report, { rekeyed: 40, ...DONE });
    assert.deepEqual(progress, [32, 40]);

    const after = await database.knex('settings').orderBy('key');
    const withoutValue = (rows: { value: string }[]) => rows.map(({ value: _, ...rest }) => rest);
    assert.deepEqual(withoutValue(after), withoutValue(before));
    for (const [index, { key, value }] of after.entries())
      if (key.startsWith('key.'))
        assert.equal(FRESH.decrypt(value, { setting: key }), `secret ${Number(key.slice(4))}`);
      else assert.equal(value, before[index].value, key);
    assert.deepEqual(
      (await recordsOf(database)).slice(2, 4).map(({ timestamp: _, ...record }) => record),
      [0, 1].map((index) => ({
        ...{ action: 'setting_write', actor: 'command-line', target: nameOf(index) },
        details: { created: false, encrypted: true, category: index % 2 === 0 ? 'even' : null, rekeyed: true },
      })),
    );
    assert.equal(await verifiedRecords(audit), 42);
    assert.deepEqual(await rekey(database), { rekeyed: 0, ...DONE }, 'a second run finds nothing to do');
  });

  it('goes on where an earlier run was interrupted', async () => {
    const { database } = await databases.migrated();
    await fill(database, 100);
    const { audit } = vaultOn(database);
    let batches = 0;
    const interrupted = rekey(database, {
      audit: {
        ...audit,
        recordAll: (events, trx) => {
          batches += 1;
          return batches === 3 ? Promise.reject(new Error('interrupted')) : audit.recordAll(events, trx);
        },
      },
    });
    await assert.rejects(interrupted, { message: 'interrupted' });
    const values = (await database.knex('settings').select('value')).map(({ value }) => keyIdOf(value));
    assert.equal(values.filter((id) => id === FRESH.keyIds.current).length, 64, 'a batch is whole or not at all');
    assert.deepEqual(await rekey(database), { rekeyed: 36, ...DONE });
    assert.deepEqual(
      await readWith(database),
      Array.from({ length: 100 }, (_, index) => `secret ${index}`),
    );
  });

  it('never overwrites what was written after it had read the setting', async () => {
    const { database } = await databases.migrated();
    await fill(database, 10);
    const { vault, audit } = vaultOn(database, { cipher: NEXT });
    let written = false;
    const report = await rekey(database, {
      audit: {
        ...audit,
        async lock(trx) {
          // Between the reading of the batch and its transaction.
          if (!written) {
            const now = { updated_at: '2026-02-02T00:00:00.000Z' };
            const sealed = (index: number, value: string) => OLD.encrypt(value, { setting: nameOf(index) });
            await trx('settings')
              .where({ key: nameOf(2) })
              .update({ value: sealed(2, 'newer'), ...now });
            await trx('settings')
              .where({ key: nameOf(3) })
              .delete();
            await trx('settings')
              .where({ key: nameOf(4) })
              .update({ value: 'now plain', encrypted: 0 });
          }
          written = true;
          return audit.lock(trx);
        },
      },
    });
    assert.deepEqual(report, { rekeyed: 8, ...DONE });
    const row = (index: number) =>
      database
        .knex('settings')
        .where({ key: nameOf(index) })
        .first();
    assert.equal(FRESH.decrypt((await row(2)).value, { setting: nameOf(2) }), 'newer');
    assert.equal(await row(3), undefined);
    assert.equal((await row(4)).value, 'now plain');
    assert.equal((await recordsOf(database)).length, 8, 'what was left alone leaves no record');
    assert.equal((await vault.get(nameOf(2)))?.updated_at, '2026-02-02T00:00:00.000Z');
  });
});

const act = (action: ActEvent['action'], index: number): ActEvent => ({ action, actor: ADA, target: `${index}` });

describeOnDatabases(
  'two processes that write at the same time',
  (databases) => {
    it('extend one audit trail', async () => {
      const { url, database } = await databases.migrated();
      const trails = [auditOn(database).audit, auditOn(databases.open(url)).audit];
      await Promise.all(
        trails.flatMap((trail) => [
          // Few enough for each to get the lock within the four seconds that an act may wait.
          ...Array.from({ length: 6 }, (_, index) => trail.record(act('login', index))),
          ...Array.from({ length: 100 }, (_, index) => trail.queue(act('proxy_write', index))),
          trail.drain(),
        ]),
      );
      assert.equal(await verifiedRecords(trails[0] ?? assert.fail()), 212);
    });

    it('leave one row of a setting, a version of each value before, and one record for each change', async () => {
      const { url, database } = await databases.migrated();
      const { vault, audit } = vaultOn(database);
      const vaults = [vault, vaultOn(databases.open(url)).vault];
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          (vaults[index % 2] ?? vault).put({ key: 'contended', value: String(index) }, ADA),
        ),
      );
      assert.equal(outcomes.filter(({ created }) => created).length, 1);
      assert.equal((await database.knex('settings')).length, 1);
      const values = (await vault.history.versions('contended')).map(({ value }) => value);
      const last = (await vault.get('contended'))?.value;
      assert.deepEqual(
        [...values, last].map(Number).sort((a, b) => a - b),
        [...Array(20).keys()],
      );
      assert.equal((await database.knex('settings_version').first()).version, 20);
      assert.equal(await verifiedRecords(audit), 20);
    });

    it('lose no write, with either key, while settings are encrypted with another key', async () => {
      const { url, database } = await databases.migrated();
      const COUNT = 80;
      const nameOf = (index: number): string => `key.${String(index).padStart(3, '0')}`;
      const old = createCipher({ current: ENCRYPTION_KEY });
      const rows = Array.from({ length: COUNT }, (_, index) => ({
        key: nameOf(index),
        value: old.encrypt(`secret ${index}`, { setting: nameOf(index) }),
        encrypted: 1,
        category: null,
        updated_at: '2026-01-01T00:00:00.000Z',
      }));
      await database.knex.batchInsert('settings', rows, 50);
      const cipher = createCipher({ current: FRESH_KEY, previous: ENCRYPTION_KEY });
      const ciphers = [cipher, createCipher({ current: ENCRYPTION_KEY, previous: FRESH_KEY })];
      const services = ciphers.map((each) => vaultOn(databases.open(url), { cipher: each }).vault);
      const last = Array.from({ length: COUNT }, (_, index) => `secret ${index}`);
      let done = false;
      // Each service has settings of its own, so that the last write to each is known.
      const writing = services.map(async (vault, service) => {
        for (let round = 0; !done || round < 20; round += 1) {
          const index = (round * 7 * 2 + service) % COUNT;
          last[index] = `round ${round}`;
          await vault.put({ key: nameOf(index), value: last[index] }, ADA);
          // On SQLite, whoever never pauses keeps all others from writing.
          await sleep(5);
        }
      });
      const { audit } = vaultOn(database);
      const rekey = () => rekeySettings({ database: databases.open(url), cipher, audit });
      const valuesWith = async ({ decrypt }: typeof cipher): Promise<(string | undefined)[]> =>
        (await database.knex('settings').orderBy('key')).map(({ key, value }) => decrypt(value, { setting: key }));
      const report = await rekey().finally(() => {
        done = true;
      });
      await Promise.all(writing);
      assert.deepEqual(report.unopened, []);
      assert.deepEqual(await valuesWith(cipher), last);
      assert.equal((await rekey()).unsettled, 0);
      assert.deepEqual(await valuesWith(createCipher({ current: FRESH_KEY })), last);
      assert.equal(typeof (await verifiedRecords(audit)), 'number');
    });
  },
  { server: true },
);

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { type Cipher, createCipher, keyIdOf } from '../../server/crypto/cipher.ts';
import type { Database } from '../../server/db/database.ts';
import { DatabaseUnavailable } from '../../server/db/errors.ts';
import { type RekeyReport, rekeySettings } from '../../server/settings/rekey.ts';
import { auditRecords, ENCRYPTION_KEY, vaultOn, verifiedRecords } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';

const NEW_KEY = 'a-fresh-encryption-key-0123456789-abcdefghijkl';
const OLD = createCipher({ current: ENCRYPTION_KEY });
const NEW = createCipher({ current: NEW_KEY });
const BOTH = createCipher({ current: NEW_KEY, previous: ENCRYPTION_KEY });
const NEXT = createCipher({ current: ENCRYPTION_KEY, previous: NEW_KEY });

const nameOf = (index: number): string => `key.${String(index).padStart(3, '0')}`;

/** Inserts settings encrypted with the old key, without records. */
async function insertEncrypted(database: Database, count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, index) => ({
    key: nameOf(index),
    value: OLD.encrypt(`secret ${index}`, { setting: nameOf(index) }),
    encrypted: 1,
    category: index % 2 === 0 ? 'even' : null,
    updated_at: '2026-01-01T00:00:00.000Z',
  }));
  await database.knex.batchInsert('settings', rows, 50);
}
const valuesWith = async (database: Database, cipher: Cipher): Promise<(string | undefined)[]> =>
  (await database.knex('settings').orderBy('key')).map(({ key, value }) => cipher.decrypt(value, { setting: key }));

describeOnDatabases('settings:rekey', (databases) => {
  const rekey = (
    database: Database,
    options: Partial<Parameters<typeof rekeySettings>[0]> = {},
  ): Promise<RekeyReport> =>
    rekeySettings({ database, cipher: BOTH, audit: vaultOn(database).audit, retryMs: 1, ...options });
  const DONE = { versions: 0, unopened: [], unsettled: 0 };

  it('encrypts all settings of an older key with the current key, records each, and leaves all others unchanged', async () => {
    const { database } = await databases.createMigrated();
    await insertEncrypted(database, 40);
    const { vault, audit } = vaultOn(database, { cipher: NEW });
    await vault.put({ key: 'plain', value: OLD.encrypt('looks encrypted', { setting: 'plain' }) }, 'ada');
    await vault.put({ key: 'has the new key', value: 'x', encrypted: true }, 'ada');
    const before = await database.knex('settings').orderBy('key');
    const progress: number[] = [];
    let failures = 3;
    const transaction: Database['transaction'] = (work) => {
      failures -= 1;
      return failures >= 0 ? Promise.reject(new DatabaseUnavailable('planted')) : database.transaction(work);
    };
    const report = await rekey({ ...database, transaction }, { onProgress: (rekeyed) => progress.push(rekeyed) });
    assert.deepEqual(report, { rekeyed: 40, ...DONE });
    assert.deepEqual(progress, [32, 40]);

    const after = await database.knex('settings').orderBy('key');
    const withoutValue = (rows: { value: string }[]) => rows.map(({ value: _, ...rest }) => rest);
    assert.deepEqual(withoutValue(after), withoutValue(before));
    for (const [index, { key, value }] of after.entries())
      if (key.startsWith('key.')) assert.equal(NEW.decrypt(value, { setting: key }), `secret ${Number(key.slice(4))}`);
      else assert.equal(value, before[index].value, key);
    assert.deepEqual(
      (await auditRecords(database)).slice(2, 4).map(({ timestamp: _, ...record }) => record),
      [0, 1].map((index) => ({
        action: 'setting_write',
        actor: 'command-line',
        target: nameOf(index),
        details: { created: false, encrypted: true, category: index % 2 === 0 ? 'even' : null, rekeyed: true },
      })),
    );
    assert.equal(await verifiedRecords(audit), 42);
    assert.deepEqual(await rekey(database), { rekeyed: 0, ...DONE }, 'a second run changes nothing');
  });

  it('continues where an earlier run was interrupted', async () => {
    const { database } = await databases.createMigrated();
    await insertEncrypted(database, 100);
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
    assert.equal(values.filter((id) => id === NEW.keyIds.current).length, 64, 'only complete batches are stored');
    assert.deepEqual(await rekey(database), { rekeyed: 36, ...DONE });
    assert.deepEqual(
      await valuesWith(database, NEW),
      Array.from({ length: 100 }, (_, index) => `secret ${index}`),
    );
  });

  it('does not overwrite a setting that was changed after it was read', async () => {
    const { database } = await databases.createMigrated();
    await insertEncrypted(database, 10);
    const { vault, audit } = vaultOn(database, { cipher: NEXT });
    const row = (knex: Knex, index: number) => knex('settings').where({ key: nameOf(index) });
    let written = false;
    const report = await rekey(database, {
      audit: {
        ...audit,
        async lock(trx) {
          // Changes settings between the reading of the batch and its transaction.
          if (!written) {
            const value = OLD.encrypt('newer', { setting: nameOf(2) });
            await row(trx, 2).update({ value, updated_at: '2026-02-02T00:00:00.000Z' });
            await row(trx, 3).delete();
            await row(trx, 4).update({ value: 'now plain', encrypted: 0 });
          }
          written = true;
          return audit.lock(trx);
        },
      },
    });
    assert.deepEqual(report, { rekeyed: 8, ...DONE });
    const { knex } = database;
    assert.equal(NEW.decrypt((await row(knex, 2).first()).value, { setting: nameOf(2) }), 'newer');
    assert.equal(await row(knex, 3).first(), undefined);
    assert.equal((await row(knex, 4).first()).value, 'now plain');
    assert.equal((await auditRecords(database)).length, 8, 'no record of an unchanged setting');
    assert.equal((await vault.get(nameOf(2)))?.updated_at, '2026-02-02T00:00:00.000Z');
  });
});

describeOnDatabases(
  'settings:rekey while services write with the old and the new key',
  (databases) => {
    it('loses no write, and leaves every setting encrypted with the new key', async () => {
      const { url, database } = await databases.createMigrated();
      const COUNT = 80;
      await insertEncrypted(database, COUNT);
      const services = [BOTH, NEXT].map((cipher) => vaultOn(databases.open(url), { cipher }).vault);
      const last = Array.from({ length: COUNT }, (_, index) => `secret ${index}`);
      let done = false;
      // Each service has settings of its own, so that the last write to each is known.
      const writing = services.map(async (vault, service) => {
        for (let round = 0; !done || round < 20; round += 1) {
          const index = (round * 7 * 2 + service) % COUNT;
          last[index] = `round ${round}`;
          await vault.put({ key: nameOf(index), value: last[index] }, 'ada');
          // On SQLite, a writer that never pauses starves the others.
          await sleep(5);
        }
      });
      const { audit } = vaultOn(database);
      const rekey = () => rekeySettings({ database: databases.open(url), cipher: BOTH, audit });
      const report = await rekey().finally(() => {
        done = true;
      });
      await Promise.all(writing);
      assert.deepEqual(report.unopened, []);
      assert.deepEqual(await valuesWith(database, BOTH), last);
      assert.equal((await rekey()).unsettled, 0);
      assert.deepEqual(await valuesWith(database, NEW), last);
      assert.equal(typeof (await verifiedRecords(audit)), 'number');
    });
  },
  { server: true },
);

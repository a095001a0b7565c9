import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ActEvent } from '../../server/audit/event.ts';
import { createCipher } from '../../server/crypto/cipher.ts';
import { rekeySettings } from '../../server/settings/rekey.ts';
import { ADA } from '../support/audit-trail.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { auditOn, ENCRYPTION_KEY, vaultOn, verifiedRecords } from '../support/vault.ts';

const FRESH_KEY = 'a-fresh-encryption-key-0123456789-abcdefghijkl';
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

import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { createAuditTrail } from '../../server/audit/trail.ts';
import { parseRecordId } from '../../server/audit/verify.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { boundedLines, createLog } from '../../server/log.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { SIGNING_KEY } from '../support/vault.ts';

const act = { action: 'login', actor: 'ada', target: null } as const;

describeOnDatabases('the audit trail’s lines in the log', (databases) => {
  /** A trail whose log holds lines back, as in production. */
  function trailOn(database: Database, level: string) {
    const out = new PassThrough();
    const log = createLog({ level, production: true }, boundedLines(out, { block: { characters: 65_536, ms: 100 } }));
    const keys = derivedKeys({ current: SIGNING_KEY }, 'audit');
    const audit = createAuditTrail({ database, keys, log, now: Date.now });
    const written = (): string => {
      const chunk = out.read() as Buffer | null;
      return chunk === null ? '' : chunk + written();
    };
    const lines = () =>
      written()
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    return { audit, log, lines };
  }

  for (const level of ['silent', 'info'])
    it(`are written at the level ${level}, at once`, async () => {
      const { database } = await databases.migrated();
      const { audit, log, lines } = trailOn(database, level);
      await audit.record(act);
      log.info('held back, or not written');
      for (let index = 0; index < 3; index += 1) audit.queue({ ...act, action: 'proxy_write' });
      await audit.drain();
      const rows = await database.knex('audit_log').orderBy('sequence').select('sequence', 'tag');
      const logged = lines().filter(({ audit: event }) => event !== undefined);
      assert.deepEqual(
        logged.map(({ sequence, tag }) => ({ sequence, tag })),
        rows,
      );
      assert.equal(logged[0].audit.actor, 'ada');
    });

  it('reveal that a trail was set back to an earlier state, which is intact by itself', async () => {
    const { database } = await databases.migrated();
    const { audit, lines } = trailOn(database, 'silent');
    for (let index = 0; index < 5; index += 1) await audit.record(act);
    const places = lines().map(({ sequence, tag }) => parseRecordId(`${sequence}:${tag}`) ?? assert.fail());
    const [, second, third, , fifth] = places;
    for (const place of places) assert.equal((await audit.verify(place)).ok, true);

    await database.knex('audit_log').where('sequence', '>', 3).delete();
    await database.knex('audit_head').update({ ...third });
    for (const place of [undefined, second]) assert.equal((await audit.verify(place)).ok, true);
    const setBack = { ok: false, sequence: 4, problem: 'the records from here on are missing' };
    assert.deepEqual(await audit.verify(fifth), setBack);

    // An attacker who set the trail back goes on writing: later records have other tags.
    for (let index = 0; index < 5; index += 1) await audit.record({ ...act, actor: 'eve' });
    assert.equal((await audit.verify()).ok, true);
    const replaced = { ok: false, sequence: 5, problem: 'the record is not the one that was here before' };
    assert.deepEqual(await audit.verify(fifth), replaced);
  });
});

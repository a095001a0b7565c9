import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { createAuditTrail } from '../../server/audit/audit-trail.ts';
import { formatVerdict, isAsExpected, parsePlace } from '../../server/audit/format-verdict.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { createLog } from '../../server/log/log.ts';
import { boundedLines, inBlocks } from '../../server/log/log-destination.ts';
import { describeOnDatabases } from '../support/databases.ts';
import { SIGNING_KEY } from '../support/vault.ts';

const act = { action: 'login', actor: 'ada', target: null } as const;

describeOnDatabases('the audit trail’s lines in the log', (databases) => {
  /** A trail whose log holds lines back, as in production. */
  function trailOn(database: Database, level: string) {
    const out = new PassThrough();
    const log = createLog({ level, production: true }, inBlocks(boundedLines(out)));
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

  for (const level of ['silent', 'fatal', 'info'])
    it(`are written at the level ${level}, at once`, async () => {
      const { database } = await databases.migrated();
      const { audit, log, lines } = trailOn(database, level);
      await audit.record(act);
      log.info('held back, or not written');
      for (let index = 0; index < 3; index += 1) audit.queue({ ...act, action: 'proxy_write' });
      await audit.drain();
      const rows = await database.knex('audit_log').orderBy('sequence').select('sequence', 'tag');
      const told = lines().filter(({ audit: event }) => event !== undefined);
      assert.deepEqual(
        told.map(({ sequence, tag }) => ({ sequence, tag })),
        rows,
      );
      assert.equal(told[0].audit.actor, 'ada');
    });

  it('show that a trail was set back to an earlier state, which looks whole by itself', async () => {
    const { database } = await databases.migrated();
    const { audit, lines } = trailOn(database, 'silent');
    for (let index = 0; index < 5; index += 1) await audit.record(act);
    const places = lines().map(({ sequence, tag }) => parsePlace(`${sequence}:${tag}`) ?? assert.fail());
    const [, second, third, , fifth] = places;
    for (const place of places) assert.equal((await audit.verify(place)).ok, true);
    const whole = await audit.verify();
    assert.ok(whole.ok);
    assert.deepEqual(whole.head, fifth);
    assert.ok(formatVerdict(whole).endsWith(`Its last record is 5:${fifth?.tag}\n`));

    await database.knex('audit_log').where('sequence', '>', 3).delete();
    await database.knex('audit_head').update({ ...third });
    assert.equal((await audit.verify()).ok, true);
    assert.equal((await audit.verify(second)).ok, true);
    const rewound = await audit.verify(fifth);
    assert.deepEqual(rewound, { ok: false, sequence: 4, problem: 'the records from here on are missing' });

    // An attacker who reset the trail goes on writing: later records have other tags.
    for (let index = 0; index < 5; index += 1) await audit.record({ ...act, actor: 'eve' });
    assert.equal((await audit.verify()).ok, true);
    const replaced = await audit.verify(fifth);
    assert.deepEqual(replaced, {
      ok: false,
      sequence: 5,
      problem: 'the record is not the one that stood here before',
    });
  });
});

describe('a place in the audit trail', () => {
  const TAG = 'kq3Nv0_-'.padEnd(43, 'x');

  it('is a sequence and a tag, and nothing else', () => {
    assert.deepEqual(parsePlace(`4711:${TAG}`), { sequence: 4711, tag: TAG });
    for (const text of [
      '',
      TAG,
      `0:${TAG}`,
      `-1:${TAG}`,
      `1.5:${TAG}`,
      `1:${TAG}x`,
      `1:${TAG.slice(1)}`,
      `1:${TAG} `,
      ` 1:${TAG}`,
    ])
      assert.equal(parsePlace(text), undefined, text);
  });

  it('is told in a verdict, with the records that a digest vouches for', () => {
    const head = { sequence: 9, tag: TAG };
    const unpruned = { start: { sequence: 0, tag: '' }, leftOver: false };
    assert.equal(
      formatVerdict({
        ok: true,
        records: 9,
        byDigest: [
          [1, 5],
          [7, 7],
        ],
        ...unpruned,
        head,
      }),
      `The audit trail is intact: 9 records.\nVerified by the digest of a later anchor: 1 to 5, 7. Verified by their key: all others.\nIts last record is 9:${TAG}\n`,
    );
    assert.equal(
      formatVerdict({ ok: true, records: 0, byDigest: [], ...unpruned, head: { sequence: 0, tag: '' } }),
      'The audit trail is intact: 0 records.\n',
    );
  });

  it('is told in a verdict on a pruned trail, and whether the expected record could be checked', () => {
    const start = { sequence: 4, tag: TAG };
    const verdict = {
      ok: true,
      records: 5,
      byDigest: [],
      start,
      leftOver: true,
      head: { sequence: 9, tag: TAG },
    } as const;
    const lines = [
      'The audit trail is intact: 5 records.',
      `Pruned: all records up to 4:${TAG}`,
      'Some of these are still stored: repeat audit:prune to remove them.',
      `Its last record is 9:${TAG}`,
    ];
    for (const expected of [undefined, start, { sequence: 5, tag: TAG }]) {
      assert.equal(formatVerdict(verdict, expected), `${lines.join('\n')}\n`);
      assert.equal(isAsExpected(verdict, expected), true);
    }
    const pruned = { sequence: 3, tag: TAG };
    const last = 'Record 3 was pruned, so it cannot be checked: look for it in an export.';
    assert.equal(formatVerdict(verdict, pruned), `${[...lines, last].join('\n')}\n`);
    assert.equal(isAsExpected(verdict, pruned), false);
  });
});

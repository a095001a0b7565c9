import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import type { ChainHead } from '../../server/audit/chain.ts';
import { parsePruneArguments, parseRecordArgument } from '../../server/audit/commands.ts';
import { createAuditTrail } from '../../server/audit/trail.ts';
import { formatVerdict, isAsExpected } from '../../server/audit/verify.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';
import { appendAll } from '../support/audit-trail.ts';
import { silentLog, TEST_KEYS } from '../support/context.ts';
import { folderOfTest } from '../support/of-suite.ts';
import { SERVICE_ARGUMENTS } from '../support/processes.ts';
import { DAY, headAt, storedIn } from '../support/pruned-trail.ts';
import { root } from '../support/repository-files.ts';

const TAG = 'kq3Nv0_-'.padEnd(43, 'x');

describe('the commands of the service', () => {
  const inFolder = folderOfTest();
  let env: Record<string, string>;

  beforeEach(() => {
    env = {
      ...TEST_KEYS,
      NODE_ENV: 'development',
      DATABASE_URL: `sqlite:${inFolder('dashboard.sqlite')}`,
      AUTH_URL: 'http://127.0.0.1:9',
      AUTH_IDENTITY_ADMIN_URL: 'http://127.0.0.1:9',
      AUTH_ADMIN_URL: 'http://127.0.0.1:9',
      OAUTH_CLIENT_ID: 'dashboard',
    };
  });

  async function runWith(
    options: { changed?: Record<string, string>; input?: string; stdout?: 'pipe' | 'unread' | number },
    ...args: string[]
  ): Promise<{ code: number | null; out: string; err: string }> {
    const { changed = {}, input = '', stdout = 'pipe' } = options;
    const child = spawn(process.execPath, [...SERVICE_ARGUMENTS, ...args], {
      cwd: root,
      env: { PATH: process.env.PATH, ...env, ...changed },
      stdio: ['pipe', stdout === 'unread' ? 'pipe' : stdout, 'pipe'],
    });
    child.stdin?.end(input);
    if (stdout === 'unread') child.stdout?.destroy();
    const closed = once(child, 'close');
    const [out = '', err = ''] = await Promise.all(
      [child.stdout, child.stderr].map((stream) => (stream === null || stream.destroyed ? '' : text(stream))),
    );
    return { code: (await closed)[0], out, err };
  }
  const run = (...args: string[]) => runWith({}, ...args);

  it('complete even if their output is not read', async () => {
    const setup = await runWith({ stdout: 'unread' }, 'setup', '--file', inFolder('dashboard.env'));
    assert.deepEqual([setup.code, setup.err], [1, '']);
  });

  it('fail if their output cannot be written', async () => {
    const migrate = await runWith({ stdout: openSync('/dev/full', 'w') }, 'migrate');
    assert.deepEqual([migrate.code, migrate.err], [1, 'ENOSPC: no space left on device, write\n']);
  });

  it('store a setting from standard input, and verify the audit trail that records it', async () => {
    const key = 'a-key-from-the-command-line';
    const set = await runWith({ input: `${key}\n` }, 'settings:set', 'upstream.identity-admin.api_key');
    assert.deepEqual([set.code, set.err], [0, '']);
    assert.ok(!set.out.includes(key));
    assert.match(set.out, /^Created the setting\. A running service uses it within five seconds\.$/m);
    const line = JSON.parse(/^\{.*\}$/m.exec(set.out)?.[0] ?? assert.fail('no audit record'));
    assert.equal(line.audit.action, 'setting_write');
    const verified = await run('audit:verify', '--expect', `${line.sequence}:${line.tag}`);
    assert.equal(verified.code, 0);
    assert.match(verified.out, /is intact: 1 records/);
    const rewound = await run('audit:verify', '--expect', `2:${line.tag}`);
    assert.equal(rewound.code, 1);
  });

  it('encrypt settings with a new key, and name each setting that no configured key decrypts', async () => {
    await runWith({ input: 'a-secret-value\n' }, 'settings:set', 'upstream.identity-admin.api_key');
    const ENCRYPTION_KEY = 'Zr8w1PqK0vTn4yLb6dXc2mHs9gJf3uEa5iOx7kRtBvQ=';
    const failed = await runWith({ changed: { ENCRYPTION_KEY } }, 'settings:rekey');
    assert.equal(failed.code, 1);
    assert.match(failed.out, /upstream\.identity-admin\.api_key: it was encrypted with a key that is not configured/);
    const changed = { ENCRYPTION_KEY, ENCRYPTION_KEY_PREVIOUS: TEST_KEYS.ENCRYPTION_KEY };
    const rekeyed = await runWith({ changed }, 'settings:rekey');
    assert.equal(rekeyed.code, 0, rekeyed.err);
    assert.match(rekeyed.out, /current key: 1\.\nNo setting needs an older key any more\./);
    assert.doesNotMatch(rekeyed.out, /a-secret-value/);
  });

  describe('on an old audit trail', () => {
    const RECORDS = 2_000;
    let database: Database;

    beforeEach(async () => {
      database = openDatabase(parseDatabaseUrl(env['DATABASE_URL'] ?? ''), silentLog);
      await migrate(database, silentLog);
      const keys = derivedKeys({ current: TEST_KEYS.SESSION_SIGNING_KEY }, 'audit-trail');
      const audit = createAuditTrail({ database, keys, log: silentLog, now: () => Date.now() - 200 * DAY });
      const logout = { action: 'logout', actor: 'ada', target: null } as const;
      await appendAll(database, Array<typeof logout>(RECORDS).fill(logout), { audit });
    });
    afterEach(() => database.close());

    const dayBefore = (days: number): string => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
    const sequencesIn = (out: string): number[] =>
      out
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).sequence);

    it('export only verified records to standard output, and the id of the last one to standard error', async () => {
      await database.knex('audit_log').where({ sequence: 1_501 }).update({ actor: 'eve' });
      const broken = await run('audit:export');
      assert.equal(broken.code, 1);
      assert.equal(sequencesIn(broken.out).at(-1), 1_500);
      assert.match(broken.err, /^Exported records: 1500\.\nThe last one exported is 1500:[\w-]{43}\n/);
      assert.match(broken.err, /The audit trail is broken at record 1501: /);
    });

    it('prune exported records, record the prune, and report that an expected record was pruned', async () => {
      const [pruned, last] = [await headAt(database, 700), await headAt(database, 1_500)];
      const exported = `${last.sequence}:${last.tag}`;
      const tooYoung = await run('audit:prune', '--before', dayBefore(89), '--exported', exported);
      assert.deepEqual([tooYoung.code, tooYoung.out], [1, '']);
      assert.match(tooYoung.err, /^Records of the last 90 days are kept: /);
      const incomplete = await run('audit:prune', '--before', dayBefore(100));
      assert.equal(incomplete.code, 2);
      assert.match(incomplete.err, /audit:prune --before YYYY-MM-DD --exported SEQUENCE:TAG/);
      assert.equal((await storedIn(database)).length, RECORDS);

      const done = await run('audit:prune', '--exported', exported, '--before', dayBefore(100));
      // A slow prune prints its progress every second.
      assert.deepEqual([done.code, done.err.replaceAll(/^Deleted so far: \d+\n/gm, '')], [0, '']);
      assert.match(done.out, new RegExp(`^Pruned records: 1500\\. The last one pruned is ${exported}$`, 'm'));
      const [record = ''] = done.out.split('\n');
      assert.equal(JSON.parse(record).audit.action, 'audit_prune');
      assert.equal((await storedIn(database))[0], 1_501);
      const verified = await run('audit:verify', '--expect', exported);
      assert.equal(verified.code, 0);
      assert.match(verified.out, new RegExp(`^The audit trail is intact: 501 records\\.\nPruned: .* ${exported}\n`));
      const lost = await run('audit:verify', '--expect', `${pruned.sequence}:${pruned.tag}`);
      assert.equal(lost.code, 1);
      assert.match(lost.out, /\nRecord 700 was pruned, so it cannot be checked: look for it in an export\.\n$/);
    });
  });
});

describe('the arguments of the audit commands', () => {
  const ID = `3:${TAG}`;
  const record = { sequence: 3, tag: TAG };

  it('are accepted by audit:verify and audit:export only if they name at most one record', () => {
    for (const name of ['expect', 'after'] as const) {
      assert.deepEqual(parseRecordArgument([], name), { record: undefined });
      assert.deepEqual(parseRecordArgument([`--${name}`, ID], name), { record });
      assert.deepEqual(parseRecordArgument([`--${name}=${ID}`], name), { record });
      for (const args of [
        ['--expect', ''],
        ['--after', '3'],
        ['--expect', ID, '--after', ID],
        ['--expect', ID, '--expect', ID],
        ['--after', ID, '--after', ID],
        [ID],
        ['--all'],
      ])
        assert.equal(parseRecordArgument(args, name), undefined, args.join(' '));
    }
  });

  it('are accepted by audit:prune only if they name a day and a record, in any order', () => {
    const request = { before: '2028-02-29T00:00:00.000Z', exported: record };
    assert.deepEqual(parsePruneArguments(['--before', '2028-02-29', '--exported', ID]), request);
    assert.deepEqual(parsePruneArguments(['--exported', ID, '--before', '2028-02-29']), request);
    for (const args of [
      [],
      ['--before', '2026-01-01'],
      ['--exported', ID],
      ['--before', '2026-01-01', '--exported', '3'],
      ['--before', '2026-01-01', '--exported', ID, 'now'],
      ['--before', '2026-01-01', '--before', '2026-01-02', '--exported', ID],
    ])
      assert.equal(parsePruneArguments(args), undefined, args.join(' '));
    for (const day of ['', 'yesterday', '2026-02-29', '2026-13-01', '2026-1-1', '2026-01-01T00:00:00Z'])
      assert.equal(parsePruneArguments(['--before', day, '--exported', ID]), undefined, day);
  });
});

describe('the verdict on a pruned audit trail', () => {
  const [start, head] = [4, 9].map((sequence) => ({ sequence, tag: TAG })) as [ChainHead, ChainHead];
  const verdict = { ok: true, records: 5, byDigest: [], start, leftOver: true, head } as const;

  it('recommends repeating a prune that was interrupted', () => {
    assert.match(formatVerdict(verdict, undefined), /^Some of these are still stored: repeat audit:prune/m);
  });

  it('confirms an expected record unless it precedes the last pruned record', () => {
    for (const [sequence, isConfirmed] of [
      [3, false],
      [4, true],
      [5, true],
    ] as const) {
      const expected = { sequence, tag: TAG };
      assert.equal(isAsExpected(verdict, expected), isConfirmed);
      assert.equal(formatVerdict(verdict, expected).includes(`Record ${sequence} was pruned`), !isConfirmed);
    }
  });
});

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { createAuditTrail } from '../../server/audit/trail.ts';
import { derivedKeys } from '../../server/crypto/signer.ts';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';
import { appendAll } from '../support/audit-trail.ts';
import { silentLog } from '../support/context.ts';
import { TEST_KEYS } from '../support/dashboard.ts';
import { SERVICE } from '../support/processes.ts';
import { DAY, placeOf, storedIn } from '../support/pruned-trail.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const RECORDS = 2_000;
const QUIET = { warn: () => {}, info: () => {} };

describe('the commands on the audit trail', () => {
  let directory: string;
  let database: Database;
  let env: Record<string, string>;

  /** A trail whose records are 200 days old. */
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'trail-'));
    const DATABASE_URL = `sqlite:${join(directory, 'dashboard.sqlite')}`;
    env = {
      ...TEST_KEYS,
      NODE_ENV: 'development',
      DATABASE_URL,
      AUTH_URL: 'http://127.0.0.1:9',
      OAUTH_CLIENT_ID: 'dashboard',
    };
    database = openDatabase(parseDatabaseUrl(DATABASE_URL), QUIET);
    await migrate(database, QUIET);
    const keys = derivedKeys({ current: TEST_KEYS.SESSION_SIGNING_KEY }, 'audit-trail');
    const audit = createAuditTrail({ database, keys, log: silentLog, now: () => Date.now() - 200 * DAY });
    const logout = { action: 'logout', actor: 'ada', target: null } as const;
    await appendAll(database, Array<typeof logout>(RECORDS).fill(logout), { audit });
  });
  afterEach(async () => {
    await database.close();
    await rm(directory, { recursive: true, force: true });
  });

  async function run(...args: string[]): Promise<{ code: number | null; out: string; err: string }> {
    const child = spawn(process.execPath, [...SERVICE, ...args], {
      cwd: root,
      env: { PATH: process.env.PATH, ...env },
    });
    const code = once(child, 'close').then(([ended]) => ended as number | null);
    const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
    // How far a prune is, each second: on a fast machine it has ended by then.
    return { code: await code, out, err: err.replaceAll(/^Deleted so far: \d+\n/gm, '') };
  }
  const dayBefore = (days: number): string => new Date(Date.now() - days * DAY).toISOString().slice(0, 10);
  const sequencesIn = (out: string): number[] =>
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).sequence);

  it('export records alone to standard output and their last place to standard error, up to where the trail is broken', async () => {
    await database.knex('audit_log').where({ sequence: 1_501 }).update({ actor: 'eve' });
    const broken = await run('audit:export');
    assert.equal(broken.code, 1);
    assert.equal(sequencesIn(broken.out).at(-1), 1_500);
    const [, place = ''] =
      /^Exported records: 1500\.\nThe last one exported is (1500:[\w-]{43})\n/.exec(broken.err) ?? [];
    assert.match(broken.err, /The audit trail is broken at record 1501: /);

    await database.knex('audit_log').where({ sequence: 1_501 }).update({ actor: 'ada' });
    const rest = await run('audit:export', '--after', place);
    assert.equal(rest.code, 0, rest.err);
    assert.deepEqual(
      sequencesIn(rest.out),
      Array.from({ length: 500 }, (_, index) => 1_501 + index),
    );
    assert.match(rest.err, /^Exported records: 500\.\nThe last one exported is 2000:[\w-]{43}\n$/);
  });

  it('prune what was exported, record that, and tell what can no longer be checked', async () => {
    const [pruned, last] = [await placeOf(database, 700), await placeOf(database, 1_500)];
    const exported = `${last.sequence}:${last.tag}`;
    const young = await run('audit:prune', '--before', dayBefore(89), '--exported', exported);
    assert.deepEqual([young.code, young.out], [1, '']);
    assert.match(young.err, /^Records of the last 90 days are kept: /);
    const unfinished = await run('audit:prune', '--before', dayBefore(100));
    assert.equal(unfinished.code, 2);
    assert.match(unfinished.err, /audit:prune --before YYYY-MM-DD --exported SEQUENCE:TAG/);
    assert.equal((await storedIn(database)).length, RECORDS);

    const done = await run('audit:prune', '--exported', exported, '--before', dayBefore(100));
    assert.deepEqual([done.code, done.err], [0, '']);
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

import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createKnex from 'knex';
import { ConfigurationError } from '../../server/config/parse-config.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { knexOptions } from '../../server/db/knex.ts';
import type { IdentitySearchPage } from '../../shared/identities.ts';
import { eventually } from '../support/eventually.ts';
import { SYNC_TIMEOUT_MS } from '../support/index-ready.ts';
import { identity } from '../support/index-rig.ts';
import { listedPage } from '../support/listed-pages.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';

const HOUR_MS = 3_600_000;

const PEOPLE = Array.from({ length: 300 }, (_, index) =>
  identity(index, { traits: { email: `p${index}@example.test`, name: `Lovelace ${index}` } }),
);

describe('IDENTITY_INDEX=/a/path', () => {
  let mapped: MappedDashboard;
  let folder: string;
  let path: string;
  /** How far the service's clock is ahead. */
  let ahead = 0;
  /** Whether the service is stopped: a restart that failed. */
  let isDown: boolean;

  before(async () => {
    mapped = await startMappedDashboard({}, { now: () => Date.now() + ahead });
  });
  beforeEach(async () => {
    [ahead, isDown] = [0, false];
    folder = await mkdtemp(join(tmpdir(), 'index-file-'));
    path = join(folder, 'people.index');
    await unlease();
    await restart();
  });
  afterEach(async () => {
    if (isDown) await mapped.dashboard.restart();
    else await mapped.restart();
    await rm(folder, { recursive: true, force: true });
  });
  after(() => mapped.close());

  async function restart(IDENTITY_INDEX = path): Promise<void> {
    mapped.dashboard.logged.length = 0;
    isDown = true;
    await mapped.restart({ IDENTITY_INDEX });
    isDown = false;
    mapped.identityAdmin.before = (seen) => {
      const url = new URL(seen.path, 'http://store');
      if (url.pathname !== '/admin/identities') return undefined;
      const ids = url.searchParams.getAll('ids');
      return listedPage(seen, ids.length > 0 ? PEOPLE.filter(({ id }) => ids.includes(id)) : PEOPLE);
    };
  }
  const assertRefused = (file: string, why: RegExp): Promise<void> =>
    assert.rejects(restart(file), (error) => {
      assert.ok(error instanceof ConfigurationError);
      assert.doesNotMatch(error.message, /index-file-/, 'it names no path');
      assert.match(error.message, why);
      return true;
    });
  async function found(): Promise<IdentitySearchPage> {
    const path = '/api/identities/search?q=lovelace';
    const response = await mapped.dashboard.call(path, { session: mapped.sessions.admin });
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as IdentitySearchPage;
  }
  async function inDatabase<T>(act: (knex: ReturnType<typeof createKnex>) => Promise<T>): Promise<T> {
    const url = mapped.dashboard.env.DATABASE_URL ?? '';
    const knex = createKnex(knexOptions(parseDatabaseUrl(url), { warn: () => {} }));
    return act(knex).finally(() => knex.destroy());
  }
  /** Another replica seems to read: this one does not. */
  const lease = (): Promise<unknown> =>
    inDatabase((knex) =>
      knex('leases').insert({ name: 'index', holder: 'another', expires_at: 4e9 }).onConflict('name').merge(),
    );
  const unlease = (): Promise<unknown> => inDatabase((knex) => knex('leases').where({ name: 'index' }).delete());
  const warnings = (): string[] =>
    mapped.dashboard.logged
      .map((line) => JSON.parse(line))
      .filter(({ level, msg }) => level >= 40 && /index/.test(msg))
      .map(({ msg }) => msg);
  const everythingRead = (): Promise<void> =>
    eventually(
      () => mapped.dashboard.logged.some((line) => /"people":300.*has been synchronised/.test(line)),
      true,
      undefined,
      SYNC_TIMEOUT_MS,
    );

  it('responds immediately after a restart, with its true age', async () => {
    await found();
    await everythingRead();
    const { index } = await found();
    assert.equal(index.complete, true);
    await lease();
    ahead = HOUR_MS / 2;
    await restart();
    const again = await found();
    assert.deepEqual(again.index, index);
    assert.equal(again.total, 300);
    assert.deepEqual(
      mapped.identityAdmin.seen.filter(({ path }) => /page_token|page_size=250/.test(path)),
      [],
      'nothing was read for it',
    );
    assert.deepEqual(warnings(), []);
  });

  it('is emptied if no sync has confirmed it for a day, even without a query', async () => {
    await found();
    await everythingRead();
    assert.ok(readFileSync(path, 'latin1').includes('lovelace\u0002\u0002299'));
    await lease();
    ahead = 25 * HOUR_MS;
    await restart();
    assert.doesNotMatch(readFileSync(path, 'latin1'), /lovelace/i);
  });

  it('is never another program’s file, nor the dashboard’s own database', async () => {
    const text = join(folder, 'text');
    writeFileSync(text, 'x'.repeat(1_000));
    await assertRefused(text, /IDENTITY_INDEX names a file that is not an index/);
    assert.equal(readFileSync(text, 'utf8'), 'x'.repeat(1_000));
    const database = String(mapped.dashboard.env.DATABASE_URL).slice('sqlite:'.length);
    await assertRefused(database, /IDENTITY_INDEX must not name the database of DATABASE_URL/);
    await mapped.dashboard.restart();
    isDown = false;
    assert.equal((await mapped.dashboard.call('/api/health')).status, 200);
  });

  it('is removed when the index is off, in memory, or elsewhere', async () => {
    for (const other of ['off', 'memory', join(folder, 'other.index')]) {
      await restart();
      await found();
      assert.ok(existsSync(path));
      await restart(other);
      assert.equal(existsSync(path), false, other);
      assert.equal(existsSync(`${path}-journal`), false, other);
    }
    assert.deepEqual(warnings(), []);
  });

  it('is not removed if it belongs to another program by now', async () => {
    await restart('off');
    writeFileSync(path, 'a diary');
    await restart('off');
    assert.equal(readFileSync(path, 'utf8'), 'a diary');
    assert.deepEqual(warnings(), []);
  });
});

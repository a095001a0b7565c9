import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import createKnex from 'knex';
import { auditSearch } from '../../server/audit/search.ts';
import { ConfigurationError } from '../../server/config/parse-config.ts';
import type { Database } from '../../server/db/database.ts';
import { parseDatabaseUrl } from '../../server/db/database-address.ts';
import { knexOptions } from '../../server/db/knex.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';
import { indexLocation } from '../../server/search-index/file.ts';
import { type IdentityIndex, identityIndex } from '../../server/search-index/index.ts';
import { indexSources } from '../../server/search-index/sources.ts';
import { identityStore } from '../../server/upstream/identity-store.ts';
import type { IdentitySearchPage } from '../../shared/identities.ts';
import { searchTerms } from '../../shared/text.ts';
import { PLENTY, silentLog } from '../support/context.ts';
import { eventually, until } from '../support/eventually.ts';
import type { SeenRequest, StubResponse } from '../support/faulting-upstream.ts';
import { indexReady, SYNC_TIMEOUT_MS } from '../support/index-ready.ts';
import { identity, idOf } from '../support/index-rig.ts';
import { listedPage } from '../support/listed-pages.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';
import { type RecordedResponses, type RecordedScene, startRecordedResponses } from '../support/recorded-responses.ts';
import { type Replica, replicaOf } from '../support/replica.ts';

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

const STORE = '/api/identity-admin/admin';

describe('the index after a write', () => {
  let mapped: MappedDashboard;
  let people = Array.from({ length: 60 }, (_, number) => identity(number));
  let replica: Replica | undefined;

  before(async () => {
    mapped = await startMappedDashboard();
    mapped.identityAdmin.before = (seen) => {
      if (seen.method !== 'GET') return written(seen);
      const url = new URL(seen.path, 'http://store');
      if (url.pathname !== '/admin/identities') return undefined;
      const ids = url.searchParams.getAll('ids');
      return listedPage(seen, ids.length > 0 ? people.filter(({ id }) => ids.includes(id)) : people);
    };
  });
  after(async () => {
    await replica?.close();
    await mapped.close();
  });

  function written({ method }: SeenRequest): StubResponse {
    if (method === 'DELETE') {
      people = people.filter(({ id }) => id !== idOf(6));
      return { status: 204 };
    }
    if (method === 'PUT') {
      people[4] = identity(4, { traits: { email: 'renamed@example.org' } });
      return { status: 200, body: '{}' };
    }
    people.push(identity(500, { traits: { email: 'created@example.org' } }));
    return { status: 201, headers: { Location: `/admin/identities/${idOf(500)}` }, body: '{}' };
  }
  async function counted(q: string): Promise<number> {
    const response = await replica?.call(`/api/identities/search/count?q=${q}`, { session: mapped.sessions.admin });
    assert.equal(response?.status, 200);
    return ((await response.json()) as { count: number }).count;
  }
  const write = (method: string, path: string, json?: object): Promise<Response> =>
    mapped.dashboard.call(path, { session: mapped.sessions.admin, method, json });

  it('learns from another replica’s audit records what was written, deleted and created there', async () => {
    await indexReady(mapped.dashboard, mapped.sessions.admin);
    replica = await replicaOf(mapped.dashboard);
    await eventually(() => counted('person').catch(() => 0), 60, undefined, 60_000);
    await write('PUT', `${STORE}/identities/${idOf(4)}`, {});
    await write('DELETE', `${STORE}/identities/${idOf(6)}`);
    await write('POST', `${STORE}/identities`, {});
    await eventually(() => counted('renamed'), 1);
    await eventually(() => counted('person6@'), 0);
    await eventually(() => counted('created'), 1);
  });
});

describe('the index of a real Kratos', () => {
  const NEW = '5ba1fd66-0000-4000-8000-000000000001';
  const nobody: RecordedScene = { group: 'sessions', from: 'empty' };
  const unsent: RecordedScene = { group: 'courier', from: 'empty' };
  const people: RecordedScene = { group: 'identities', from: 'list-default' };
  let folder: string;
  let database: Database;
  let kratos: RecordedResponses;
  let index: IdentityIndex;
  let aheadMs = 0;

  beforeEach(async () => {
    aheadMs = 0;
    folder = await mkdtemp(join(tmpdir(), 'index-'));
    database = openDatabase({ client: 'sqlite', path: join(folder, 'own.sqlite') }, { warn: () => {} });
    await migrate(database, silentLog);
    kratos = await startRecordedResponses([people, nobody, unsent]);
    const client = identityStore({ url: kratos.url, authorization: async () => undefined, timeoutMs: 5_000 });
    const owner = { store: kratos.url, deployment: 'customer' };
    index = identityIndex({
      database,
      sources: indexSources(client, client, { open: async () => () => undefined } as never),
      trail: auditSearch(database),
      store: 'identity-admin',
      location: indexLocation({
        where: 'memory',
        maxMegabytes: 16,
        owner,
        database: undefined,
        port: 1,
        memory: PLENTY,
      }),
      now: () => Date.now() + aheadMs,
      monotonic: () => performance.now() + aheadMs,
      log: silentLog,
    });
  });
  afterEach(async () => {
    await index.stop();
    await kratos.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  for (const [by, name, ...seen] of [
    ['a session', 'bert', { group: 'sessions', from: 'list-expand', step: 1, bound: { 'uuid:2': NEW } }, unsent],
    ['a message', 'mail-3', nobody, { group: 'courier', from: 'list' }],
  ] as [string, string, ...RecordedScene[]][])
    it(`has who has just registered first within 35 seconds, known by ${by}, and says as of when`, async () => {
      const newestFirst = () => index.searchPeople('session', {}, { by: 'created', descending: true }, 1, undefined);
      await until(async () => (await index.numbers()).sessions?.complete === true);
      await until(async () => (await newestFirst()).complete);
      assert.notEqual((await newestFirst()).value.people[0]?.id, NEW);
      kratos.answer([...seen, { ...people, bound: { 'uuid:1': NEW }, renamed: { 'user-01': name } }]);
      aheadMs = 35_000;
      await eventually(async () => (await newestFirst()).value.people[0]?.id, NEW);
      await until(async () => (await newestFirst()).asOf > Date.now() + 30_000);
      assert.equal((await index.countPeople('session', { words: searchTerms(name) })).value, 1);
    });
});

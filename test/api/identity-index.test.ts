import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { ConfigurationError } from '../../server/config/parse-config.ts';
import type { IdentitySearchPage } from '../../shared/identities.ts';
import { indexReady, knexOf, SYNC_TIMEOUT_MS, startReplica } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import type { ReceivedRequest, StubResponse } from '../support/faulting-upstream.ts';
import { listPage } from '../support/faulting-upstream.ts';
import { identity, idOf } from '../support/index-rig.ts';
import { startMappedDashboard } from '../support/mapped-dashboard.ts';
import { folderOfTest, ofSuite } from '../support/of-suite.ts';

type Identity = ReturnType<typeof identity>;

/** Responds with the list of identities, or with those of the requested ids. */
function listIdentities(request: ReceivedRequest, identities: readonly Identity[]): StubResponse | undefined {
  const url = new URL(request.path, 'http://store');
  if (url.pathname !== '/admin/identities') return undefined;
  const ids = url.searchParams.getAll('ids');
  return listPage(request, ids.length > 0 ? identities.filter(({ id }) => ids.includes(id)) : identities);
}

describe('the file that IDENTITY_INDEX names', () => {
  const HOUR_MS = 3_600_000;
  const IDENTITIES = Array.from({ length: 300 }, (_, index) =>
    identity(index, { traits: { email: `p${index}@example.test`, name: `Lovelace ${index}` } }),
  );
  const mapped = ofSuite(() => startMappedDashboard({}, { now: () => Date.now() + aheadMs }));
  afterEach(() => (isDown ? mapped.dashboard.restart() : mapped.restart()));
  const inFolder = folderOfTest();
  let path: string;
  /** How far the service's clock is ahead. */
  let aheadMs = 0;
  /** Whether the service is stopped because a restart failed. */
  let isDown: boolean;

  beforeEach(async () => {
    [aheadMs, isDown] = [0, false];
    path = inFolder('people.index');
    await leases((table) => table.where({ name: 'index' }).delete());
    await restart();
  });

  async function restart(IDENTITY_INDEX = path): Promise<void> {
    mapped.dashboard.logged.length = 0;
    isDown = true;
    await mapped.restart({ IDENTITY_INDEX });
    isDown = false;
    mapped.identityAdmin.before = (request) => listIdentities(request, IDENTITIES);
  }
  async function search(): Promise<IdentitySearchPage> {
    const response = await mapped.dashboard.call('/api/identities/search?q=lovelace', {
      session: mapped.sessions.admin,
    });
    assert.equal(response.status, 200, await response.clone().text());
    return (await response.json()) as IdentitySearchPage;
  }
  /** Searches once, and waits until the index has been synchronised. */
  async function synchronised(): Promise<void> {
    await search();
    const isLogged = () => mapped.dashboard.logged.some((line) => /"people":300.*has been synchronised/.test(line));
    await eventually(isLogged, true, undefined, SYNC_TIMEOUT_MS);
  }
  type Leases = ReturnType<ReturnType<typeof knexOf>>;
  async function leases(act: (table: Leases) => PromiseLike<unknown>): Promise<void> {
    const knex = knexOf(mapped.dashboard);
    try {
      await act(knex('leases'));
    } finally {
      await knex.destroy();
    }
  }
  /** Leases the sync to another replica, so that this one does not read the list. */
  const leaseToAnotherReplica = (): Promise<void> =>
    leases((table) => table.insert({ name: 'index', holder: 'another', expires_at: 4e9 }).onConflict('name').merge());
  const warnings = (): string[] =>
    mapped.dashboard.logged
      .map((line) => JSON.parse(line))
      .filter(({ level, msg }) => level >= 40 && /index/.test(msg))
      .map(({ msg }) => msg);

  it('serves a search immediately after a restart, with the time of the last sync', async () => {
    await synchronised();
    const { index } = await search();
    assert.equal(index.complete, true);
    await leaseToAnotherReplica();
    aheadMs = HOUR_MS / 2;
    await restart();
    const page = await search();
    assert.deepEqual(page.index, index);
    assert.equal(page.total, 300);
    const listed = mapped.identityAdmin.requests.filter(({ path }) => /page_token|page_size=250/.test(path));
    assert.deepEqual(listed, []);
    assert.deepEqual(warnings(), []);
  });

  it('prevents startup if it belongs to another program or is the dashboard’s database', async () => {
    const assertRefused = (file: string, message: RegExp): Promise<void> =>
      assert.rejects(restart(file), (error) => {
        assert.ok(error instanceof ConfigurationError);
        assert.ok(!error.message.includes(inFolder()), 'the message contains no path');
        assert.match(error.message, message);
        return true;
      });
    const text = inFolder('text');
    writeFileSync(text, 'x'.repeat(1_000));
    await assertRefused(text, /IDENTITY_INDEX names a file that is not an index/);
    assert.equal(readFileSync(text, 'utf8'), 'x'.repeat(1_000));
    const database = String(mapped.dashboard.env.DATABASE_URL).slice('sqlite:'.length);
    await assertRefused(database, /IDENTITY_INDEX must not name the database of DATABASE_URL/);
    await mapped.dashboard.restart();
    isDown = false;
    assert.equal((await mapped.dashboard.call('/api/health')).status, 200);
  });

  it('is removed when the index is turned off, moved to memory, or moved to another file', async () => {
    for (const other of ['off', 'memory', inFolder('other.index')]) {
      await restart();
      await search();
      assert.ok(existsSync(path));
      await restart(other);
      assert.equal(existsSync(path), false, other);
      assert.equal(existsSync(`${path}-journal`), false, other);
    }
    assert.deepEqual(warnings(), []);
  });

  it('is not removed if another program has replaced it', async () => {
    await restart('off');
    writeFileSync(path, 'a diary');
    await restart('off');
    assert.equal(readFileSync(path, 'utf8'), 'a diary');
    assert.deepEqual(warnings(), []);
  });
});

describe('the index of a replica', () => {
  const STORE = '/api/identity-admin/admin/identities';
  const mapped = ofSuite(startMappedDashboard);
  let identities = Array.from({ length: 60 }, (_, number) => identity(number));

  before(async () => {
    mapped.identityAdmin.before = (request) =>
      request.method === 'GET' ? listIdentities(request, identities) : applyWrite(request.method);
    await indexReady(mapped.dashboard, mapped.sessions.admin);
  });
  const replica = ofSuite(() => startReplica(mapped.dashboard));

  function applyWrite(method: string): StubResponse {
    if (method === 'DELETE') {
      identities = identities.filter(({ id }) => id !== idOf(6));
      return { status: 204 };
    }
    if (method === 'PUT') {
      identities[4] = identity(4, { traits: { email: 'renamed@example.org' } });
      return { status: 200, body: '{}' };
    }
    identities.push(identity(500, { traits: { email: 'created@example.org' } }));
    return { status: 201, headers: { Location: `/admin/identities/${idOf(500)}` }, body: '{}' };
  }
  async function count(q: string): Promise<number> {
    const response = await replica.call(`/api/identities/search/count?q=${q}`, { session: mapped.sessions.admin });
    assert.equal(response.status, 200);
    return ((await response.json()) as { count: number }).count;
  }
  const write = (method: string, path: string, json?: object): Promise<Response> =>
    mapped.dashboard.call(path, { session: mapped.sessions.admin, method, json });

  it('is updated through the audit trail when another replica changes, deletes or creates an identity', async () => {
    await eventually(() => count('person'), 60, undefined, SYNC_TIMEOUT_MS);
    await write('PUT', `${STORE}/${idOf(4)}`, {});
    await write('DELETE', `${STORE}/${idOf(6)}`);
    await write('POST', STORE, {});
    await eventually(() => count('renamed'), 1);
    await eventually(() => count('person6@'), 0);
    await eventually(() => count('created'), 1);
  });
});

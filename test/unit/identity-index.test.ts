import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { auditSearch } from '../../server/audit/search.ts';
import { ApiError } from '../../server/http/errors.ts';
import { createLog } from '../../server/log.ts';
import { indexLocation } from '../../server/search-index/file.ts';
import {
  countFailed,
  type IdentityIndex,
  identityIndex,
  searchFailed,
} from '../../server/search-index/search-index.ts';
import { type IndexSources, indexSources } from '../../server/search-index/sources.ts';
import { IndexBusy, NothingIndexed } from '../../server/search-index/thread.ts';
import { identityStore } from '../../server/upstream/identity-store.ts';
import { searchTerms } from '../../shared/text.ts';
import { PLENTY } from '../support/context.ts';
import { eventually, until } from '../support/eventually.ts';
import { messageItem, startFaultingUpstream } from '../support/faulting-upstream.ts';
import { type IndexRig, identity, idOf, indexRig, session } from '../support/index-rig.ts';
import { folderOfTest, ofTest } from '../support/of-suite.ts';
import { newSqlite } from '../support/settings-app.ts';

const DAY_MS = 24 * 3_600_000;

describe('the index of identities', () => {
  // Before the database is closed.
  afterEach(() => index.stop());
  const inFolder = folderOfTest();
  const sqlite = ofTest(newSqlite);
  const kratos = ofTest(startFaultingUpstream);
  let rig: IndexRig;
  let index: IdentityIndex;
  /** How far both clocks are ahead of the real ones. */
  let aheadMs: number;
  let logged: string[];
  const log = createLog({ level: 'info', production: false }, { write: (line) => void logged.push(line) });

  beforeEach(() => {
    [aheadMs, logged] = [0, []];
    rig = indexRig();
    rig.lists.identities = [identity(1, { traits: { name: 'Ada' } })];
  });

  function startIndex(
    where: 'memory' | { file: string } = 'memory',
    sources: IndexSources = rig.sources,
  ): IdentityIndex {
    index = identityIndex({
      database: sqlite.database,
      sources,
      trail: auditSearch(sqlite.database),
      store: 'identity-admin',
      location: indexLocation({
        where,
        maxMegabytes: 16,
        owner: { store: 'http://store', deployment: 'customer' },
        database: inFolder('own.sqlite'),
        port: 1,
        memory: PLENTY,
      }),
      now: () => Date.now() + aheadMs,
      monotonic: () => performance.now() + aheadMs,
      log,
      confirmedEveryMs: 5,
    });
    return index;
  }
  const isLogged = (pattern: RegExp): boolean => logged.some((line) => pattern.test(line));

  it('shares a count of places between all sessions for ten seconds, unless the index changes', async () => {
    startIndex();
    const places = (session: string) => index.countPlaces(session, { since: 1 });
    await until(async () => (await places('ada')).complete);
    const first = places('ada');
    assert.equal(places('bob'), first);
    await until(async () => (await index.numbers()).clients?.complete === true);
    const numbers = index.numbers();
    await Promise.all(Array.from({ length: 40 }, (_, since) => index.countPlaces('ada', { since })));
    assert.equal(index.numbers(), numbers, 'counts of places do not evict the numbers');
    aheadMs += 10_000;
    const later = places('ada');
    assert.notEqual(later, first);
    await later;
    index.removed('sessions', [idOf(1, '5e55')]);
    await until(() => places('ada') !== later);
  });

  it('reports the ages of its lists, that of identities as `people`', async () => {
    startIndex();
    await until(async () => Object.values(await index.numbers()).every((list) => list?.complete));
    assert.deepEqual(Object.keys(index.ages(Date.now())), ['people', 'sessions', 'clients']);
  });

  for (const where of ['memory', 'file'] as const)
    it(`in ${where === 'file' ? 'a file' : 'memory'} is emptied once no full sync has confirmed it for a day`, async () => {
      const path = inFolder('people.index');
      startIndex(where === 'file' ? { file: path } : 'memory');
      await index.start();
      await eventually(async () => (await index.countIdentities('session', { words: ['ada'] })).value, 1);
      await until(() => isLogged(/has been synchronised/));
      if (where === 'file') assert.match(await readFile(path, 'latin1'), /\bada\b/);
      rig.onPage = () => {
        throw new Error('unavailable');
      };
      aheadMs += DAY_MS;
      await until(() => isLogged(/emptied: no full sync has confirmed it/));
      await assert.rejects(index.countIdentities('session', {}), NothingIndexed);
      if (where === 'file') await until(async () => !/\bada\b/.test(await readFile(path, 'latin1')));
    });

  for (const [source, path, row] of [
    ['session', '/admin/sessions', session(2)],
    ['message', '/admin/courier/messages', messageItem({ recipient: 'person2@example.org' })],
  ] as const)
    it(`lists a new person first within 35 seconds of their first ${source} in Kratos, and reports the time of that read`, async () => {
      const rows: Record<string, object[]> = { '/admin/identities': [identity(1)] };
      kratos.before = ({ path }) => {
        const { pathname, searchParams } = new URL(path, kratos.url);
        const wanted = searchParams.get('ids') ?? searchParams.get('credentials_identifier') ?? '';
        const found = (rows[pathname] ?? [])
          .map((item) => JSON.stringify(item))
          .filter((item) => item.includes(wanted));
        return { status: 200, body: `[${found}]` };
      };
      const store = identityStore({ url: kratos.url, authorization: async () => undefined, timeoutMs: 5_000 });
      startIndex('memory', indexSources(store, store, { open: async () => () => undefined } as never));
      const newestFirst = () =>
        index.searchIdentities('session', {}, { by: 'created', descending: true }, 1, undefined);
      await until(async () => (await index.numbers()).sessions?.complete === true);
      await until(async () => (await newestFirst()).complete);
      rows['/admin/identities']?.push(identity(2, { created_at: '2026-01-02T00:00:00Z' }));
      rows[path] = [row];
      aheadMs = 35_000;
      await eventually(async () => (await newestFirst()).value.identities[0]?.id, idOf(2));
      await until(async () => (await newestFirst()).asOf > Date.now() + 30_000);
      assert.equal((await index.countIdentities('session', { words: searchTerms('person2') })).value, 1);
    });
});

describe('a search or count in the index', () => {
  it('fails with 503 and Retry-After if too many others are waiting', () => {
    for (const errorOf of [searchFailed, countFailed]) {
      const error = errorOf(new IndexBusy(), 'sessions');
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.headers], [503, { 'Retry-After': '3' }]);
      assert.match(error.message, /^Too many searches are waiting/);
    }
  });
});

import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { auditSearch } from '../../server/audit/search.ts';
import type { Database } from '../../server/db/database.ts';
import { migrate, openDatabase } from '../../server/db/open-database.ts';
import { ApiError } from '../../server/http/errors.ts';
import { createLog } from '../../server/log.ts';
import { indexLocation } from '../../server/search-index/file.ts';
import {
  countFailed,
  type IdentityIndex,
  identityIndex,
  NothingIndexed,
  searchFailed,
} from '../../server/search-index/index.ts';
import type { IndexSources } from '../../server/search-index/sources.ts';
import { IndexBusy, searchQueue } from '../../server/search-index/thread.ts';
import { PLENTY, silentLog } from '../support/context.ts';
import { eventually, until } from '../support/eventually.ts';

const HOUR_MS = 3_600_000;

describe('the index of identities', () => {
  let folder: string;
  let database: Database;
  let index: IdentityIndex | undefined;
  /** How far both clocks are ahead of the real ones. */
  let aheadMs: number;
  let said: string[];
  let fails: boolean;
  const log = createLog({ level: 'info', production: false }, { write: (line) => void said.push(line) });

  const person = {
    id: '00000000-0000-4000-8000-000000000001',
    schema_id: 's',
    state: 'active',
    traits: { name: 'Ada' },
  };
  const times = { created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' };
  const text = JSON.stringify([{ ...person, ...times }]);
  const sources: IndexSources = {
    async page(kind) {
      if (kind !== 'people') return { text: '[]', bytes: 2, nextPageToken: undefined };
      if (fails) throw new Error('away');
      return { text, bytes: text.length, nextPageToken: undefined };
    },
    byId: async () => text,
    marks: async () => ({}),
    newestMessages: async () => '[]',
    byIdentifier: async () => '[]',
    placesOf: async () => [],
  };

  beforeEach(async () => {
    [aheadMs, said, fails] = [0, [], false];
    folder = await mkdtemp(join(tmpdir(), 'index-'));
    database = openDatabase({ client: 'sqlite', path: join(folder, 'own.sqlite') }, { warn: () => {} });
    await migrate(database, silentLog);
  });
  afterEach(async () => {
    await index?.stop();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const begin = (where: 'memory' | 'off' | { file: string }, port = 1): IdentityIndex =>
    identityIndex({
      database,
      sources,
      trail: auditSearch(database),
      store: 'identity-admin',
      location: indexLocation({
        where,
        maxMegabytes: 16,
        owner: { store: 'http://store', deployment: 'customer' },
        database: join(folder, 'own.sqlite'),
        port,
        memory: PLENTY,
      }),
      now: () => Date.now() + aheadMs,
      monotonic: () => performance.now() + aheadMs,
      log,
      confirmedEveryMs: 5,
    });
  const wasSaid = (pattern: RegExp): boolean => said.some((line) => pattern.test(line));

  it('answers each session in turn, however much one asks, and says that it is busy to who asks too much', async () => {
    const inTurn = searchQueue({ places: 1, waiting: 20, waitMs: 60_000 });
    const answered: string[] = [];
    const ask = (session: string, times: number): Promise<unknown>[] =>
      Array.from({ length: times }, () =>
        inTurn(session, async () => {
          await new Promise(setImmediate);
          answered.push(session);
        }),
      );
    const flood = Promise.allSettled(ask('viewer', 300));
    await Promise.all(ask('admin', 8));
    assert.ok(answered.length <= 17, answered.join(' '));
    const refused = (await flood).filter((one) => one.status === 'rejected');
    assert.ok(refused.length > 0 && refused.every(({ reason }) => reason instanceof IndexBusy));
    for (const failed of [searchFailed, countFailed]) {
      const error = failed(new IndexBusy(), 'sessions');
      assert.ok(error instanceof ApiError);
      assert.deepEqual([error.status, error.headers], [503, { 'Retry-After': '3' }]);
      assert.match(error.message, /^Too many searches are waiting/);
    }
  });

  it('gives everybody who asks for the same places within ten seconds the same answer, unless something changed', async () => {
    const live = begin('memory');
    index = live;
    const places = (session: string) => live.countPlaces(session, { since: 1 });
    await until(async () => (await places('one')).complete);
    const first = places('one');
    assert.equal(places('other'), first);
    await until(async () => (await live.numbers()).clients?.complete === true);
    const numbers = live.numbers();
    await Promise.all(Array.from({ length: 40 }, (_, since) => live.countPlaces('one', { since })));
    assert.equal(live.numbers(), numbers);
    aheadMs += 10_000;
    const later = places('one');
    assert.notEqual(later, first);
    await later;
    live.removed('sessions', [person.id]);
    await until(() => places('one') !== later);
  });

  for (const where of ['memory', 'file'] as const)
    it(`in ${where === 'file' ? 'a file' : 'memory'} is emptied when no full sync has confirmed it for a day`, async () => {
      const path = join(folder, 'people.index');
      const own = begin(where === 'file' ? { file: path } : 'memory');
      index = own;
      await own.start();
      await eventually(async () => (await own.countPeople('session', { words: ['ada'] })).value, 1);
      await until(() => wasSaid(/has been synchronised/));
      if (where === 'file') assert.match(await readFile(path, 'latin1'), /\bada\b/);
      fails = true;
      aheadMs += 24 * HOUR_MS;
      await until(() => wasSaid(/emptied: no full sync has confirmed it/));
      await assert.rejects(own.countPeople('session', {}), NothingIndexed);
      if (where === 'file') await until(async () => !/\bada\b/.test(await readFile(path, 'latin1')));
    });
});

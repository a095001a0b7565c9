import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { createLog } from '../../server/log.ts';
import type { Kind } from '../../server/search-index/database.ts';
import type { RemoteCommands } from '../../server/search-index/thread.ts';
import { indexWriter } from '../../server/search-index/writer.ts';
import { UpstreamFailure } from '../../server/upstream/failure.ts';
import { silentLog } from '../support/context.ts';
import { until } from '../support/eventually.ts';
import { type IndexRig, identity, idOf, indexRig, START, session } from '../support/index-rig.ts';

const MINUTE_MS = 60_000;
const KINDS = ['identities', 'sessions', 'clients'] as const;

describe('the sync of the index', () => {
  let rig: IndexRig;
  beforeEach(() => {
    rig = indexRig();
    rig.lists.identities = Array.from({ length: 620 }, (_, number) => identity(number));
  });
  afterEach(() => rig.sync.stop());

  const fullSyncEnded = (kind: Kind = 'identities'): Promise<void> =>
    until(() => rig.sync.state(kind).fullAt !== undefined);
  /** Gives everything that is due enough turns of the event loop to start. */
  async function runDue(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  }
  /** Runs the first sync of all lists, and discards its requests and pauses. */
  async function firstSync(): Promise<void> {
    rig.sync.onQuery();
    for (const kind of KINDS) await fullSyncEnded(kind);
    await runDue();
    [rig.requests, rig.pauses] = [[], []];
  }

  it('starts with the first query, reads page by page, and pauses after each page for as long as the page took', async () => {
    await runDue();
    assert.deepEqual(rig.requests, []);
    rig.sync.onQuery();
    await fullSyncEnded();
    const sizes = rig.requestsFor('identities').map(({ size }) => size);
    assert.deepEqual(sizes, [50, 250, 250, 250]);
    assert.equal(rig.requestsFor('identities')[1]?.token, idOf(49));
    assert.ok(rig.pauses.every((ms) => ms === 10));
    assert.equal(rig.pauses.length, rig.requests.length - 1);
    assert.equal(await rig.countIdentities(), 620);
    assert.equal(rig.sync.state('identities').fullAt, START);
  });

  it('runs again after 15 minutes, with pauses nine times as long, and removes deleted people', async () => {
    await firstSync();
    rig.lists.identities = rig.lists.identities.slice(100);
    rig.passTime(14 * MINUTE_MS);
    await runDue();
    assert.deepEqual(rig.requestsFor('identities'), []);
    const ended = rig.sync.ended('identities');
    rig.passTime(2 * MINUTE_MS);
    await ended;
    assert.equal(rig.requestsFor('identities').length, 3);
    assert.ok(rig.pauses.length >= 2 && rig.pauses.every((ms) => ms === 90));
    assert.equal(await rig.countIdentities(), 520);
  });

  it('stores the identifier that a person’s schema marks, by which searches can be sorted', async () => {
    rig.marks = { agents: { identifiers: [['agent_name']], names: [] } };
    rig.lists.identities = ['zora', 'adam', 'mona'].map((agent_name, number) => ({
      ...identity(number),
      schema_id: 'agents',
      traits: { agent_name, email: `${3 - number}@example.org` },
    }));
    await firstSync();
    const { identities } = await rig.index.searchIdentities({}, { by: 'identifier', descending: false }, 9, undefined);
    const ids = identities.map(({ id }) => id);
    assert.deepEqual(ids, [idOf(1), idOf(2), idOf(0)]);
  });

  it('requests smaller pages after a timeout, and continues from its cursor', async () => {
    rig.onPage = ({ size }) => {
      if (size > 70) throw new UpstreamFailure('timeout');
    };
    rig.sync.onQuery();
    await fullSyncEnded();
    assert.deepEqual(
      rig.requestsFor('identities').map(({ size, token }) => [size, token]),
      [
        [50, undefined],
        [250, idOf(49)],
        [125, idOf(49)],
        ...Array.from({ length: 10 }, (_, page) => [62, idOf(49 + page * 62)]),
      ],
    );
    assert.equal(await rig.countIdentities(), 620);
  });

  it('reports no failure if it is stopped in the middle of a list', async () => {
    rig.onPage = () => {
      void rig.sync.stop();
      throw new UpstreamFailure('unreachable');
    };
    rig.sync.onQuery();
    await until(() => rig.requests.length > 0);
    await runDue();
    for (const kind of KINDS) assert.equal(rig.sync.state(kind).failure, undefined);
  });

  it('keeps the rows of a list that it cannot read, reports that reading fails, and retries', async () => {
    await firstSync();
    rig.onPage = ({ token }) => {
      if (token !== undefined) throw new UpstreamFailure('failing');
    };
    rig.lists.identities = rig.lists.identities.slice(0, 100);
    rig.passTime(16 * MINUTE_MS);
    const state = () => rig.sync.state('identities');
    await until(() => state().failure !== undefined);
    assert.equal(await rig.countIdentities(), 620);
    assert.equal(state().fullAt, START);
    await runDue();
    rig.onPage = () => {};
    rig.passTime(MINUTE_MS);
    await until(() => state().failure === undefined);
    await until(async () => (await rig.countIdentities()) === 100);
  });

  for (const [what, next, pages] of [
    ['names each page as its own next', (token = 'a') => token, 2],
    ['refers back to an earlier page', (token) => (token === 'a' ? 'b' : 'a'), 3],
    ['has ever more pages', (token = '') => `${token}a`, 30],
  ] as [what: string, next: (token?: string) => string, pages: number][])
    it(`removes nothing because of a list that ${what}, waits before it reads it again, and logs it once`, async () => {
      const lines: string[] = [];
      const log = createLog({ level: 'warn', production: false }, { write: (line) => void lines.push(line) });
      rig.sync = rig.startSync({ log, maxPages: 30 });
      await firstSync();
      rig.lists.identities = rig.lists.identities.slice(0, 10);
      const { page } = rig.sources;
      rig.sources.page = async (kind, size, token) =>
        Object.assign(await page(kind, size, undefined), { nextPageToken: next(token) });
      async function readAfter(ms: number): Promise<void> {
        const ended = rig.sync.ended('identities');
        rig.passTime(ms);
        await ended;
        await runDue();
      }
      await readAfter(16 * MINUTE_MS);
      rig.passTime(20_000);
      await runDue();
      assert.deepEqual([rig.requestsFor('identities').length, await rig.countIdentities()], [pages, 620]);
      await readAfter(10_000);
      assert.equal(rig.requestsFor('identities').length, 2 * pages);
      assert.match(lines.join(), /^[^\n]*"list":"people"[^\n]*does not end[^\n]*\n$/);
    });

  it('waits while another replica holds the lease, and stops if it loses the lease itself', async () => {
    rig.getsLease = false;
    rig.sync.onQuery();
    await runDue();
    assert.deepEqual(rig.requests, []);
    rig.getsLease = true;
    rig.onPage = ({ token }) => {
      rig.getsLease = token === undefined;
    };
    rig.passTime(MINUTE_MS);
    await until(() => !rig.getsLease);
    await runDue();
    assert.equal(rig.requestsFor('identities').length, 2);
    assert.equal(rig.sync.state('identities').fullAt, undefined);
    [rig.getsLease, rig.onPage] = [true, () => {}];
    rig.passTime(MINUTE_MS);
    await fullSyncEnded();
    assert.equal(await rig.countIdentities(), 620);
  });

  it('renews its lease during long pauses, and releases it when the service stops in the middle of a page', async () => {
    const renewals: number[] = [];
    const releases: number[] = [];
    const lease = {
      hold: async () => renewals.push(rig.clock) > 0,
      release: async () => void releases.push(rig.clock),
    };
    rig.pageMs = 50_000;
    rig.onPage = ({ kind, token }) =>
      kind === 'identities' && token !== undefined ? new Promise<void>(() => {}) : undefined;
    rig.sync = rig.startSync({ lease });
    rig.sync.onQuery();
    await until(() => rig.requestsFor('identities').length === 2);
    assert.ok(
      renewals.every((time, at) => at === 0 || time - (renewals[at - 1] ?? 0) <= 70_000),
      String(renewals),
    );
    assert.equal(releases.length, 0);
    await rig.sync.stop();
    assert.equal(releases.length, 1);
  });

  it('reads the newest sessions every 30 seconds up to a page without new ones, and does not count that as a full sync', async () => {
    // The newest sessions come first. In this list, they have the lowest numbers.
    const sessionsFrom = (from: number): unknown[] =>
      Array.from({ length: 900 - from }, (_, at) => session(from + at, { identity: { id: idOf(1) } }));
    rig.lists.sessions = sessionsFrom(500);
    await firstSync();
    rig.lists.sessions = sessionsFrom(430);
    rig.passTime(31_000);
    await until(() => rig.requestsFor('sessions').length === 3);
    await runDue();
    assert.deepEqual(
      rig.requests.map(({ kind, token }) => [kind, token]),
      [undefined, idOf(479, '5e55'), idOf(729, '5e55')].map((token) => ['sessions', token]),
    );
    assert.equal((await rig.index.sizes()).sessions, 470);
    assert.equal(rig.sync.state('sessions').fullAt, START);
    rig.requests = [];
    rig.passTime(MINUTE_MS);
    await until(() => rig.requests.length > 0);
    await runDue();
    assert.equal(rig.requests.length, 1, 'the first page has no new session');
  });

  it('removes no sessions if the index has no room for the newest ones', async () => {
    rig.lists.sessions = Array.from({ length: 400 }, (_, at) => session(500 + at));
    let isFull = false;
    const index = new Proxy(rig.index, {
      get: (target, name: keyof RemoteCommands) =>
        isFull && name === 'putSessions' ? async () => ({ known: false, fits: false }) : target[name],
    });
    const writer = indexWriter({ index, sources: rig.sources, giveUp: () => {}, onChange: () => {}, log: silentLog });
    rig.sync = rig.startSync({ index, writer });
    await firstSync();
    isFull = true;
    rig.lists.sessions = [session(499), ...rig.lists.sessions];
    rig.passTime(31_000);
    await until(() => rig.requestsFor('sessions').length > 0);
    await runDue();
    assert.equal((await rig.index.sizes()).sessions, 400);
    assert.equal(rig.sync.state('sessions').fits, false);
  });

  it('indexes everyone who exists throughout, even if others are created and deleted between its pages', async () => {
    const idIn = (row: unknown): string => (row as { id: string }).id;
    let turn = 0;
    rig.onPage = ({ kind }) => {
      if (kind !== 'identities') return;
      turn += 1;
      // Deletes a person who has been read and one who has not, and creates one on either side of the cursor.
      rig.lists.identities = [
        identity(turn + 10_000),
        ...rig.lists.identities.filter((row) => ![idOf(turn), idOf(619 - turn)].includes(idIn(row))),
        identity(turn + 20_000),
      ].sort((a, b) => idIn(a).localeCompare(idIn(b)));
    };
    rig.sync.onQuery();
    await fullSyncEnded();
    const indexed = new Set(await rig.index.identityIds({}, 2_000));
    for (let number = turn + 1; number < 619 - turn; number += 1) assert.ok(indexed.has(idOf(number)), `${number}`);
  });

  it('does not restore people who are deleted while their page is read, and reads changed people again', async () => {
    rig.onPage = ({ token }) => {
      if (token !== idOf(299)) return undefined;
      rig.writer.refresh('identities', [idOf(302), idOf(7)]);
      return rig.writer.remove('identities', [idOf(301), idOf(7)]);
    };
    rig.sync.onQuery();
    await fullSyncEnded();
    assert.equal(await rig.countIdentities(), 618);
    assert.deepEqual(rig.refreshes, [
      ['identities', idOf(302), idOf(7)],
      ['identities', idOf(302)],
    ]);
  });
});

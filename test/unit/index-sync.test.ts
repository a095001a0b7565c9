import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { Kind } from '../../server/search-index/database.ts';
import { indexWriter } from '../../server/search-index/list-sync.ts';
import type { RemoteCommands } from '../../server/search-index/thread.ts';
import { UpstreamFailure } from '../../server/upstream/failure.ts';
import { until } from '../support/eventually.ts';
import { DAY, type IndexRig, identity, idOf, indexRig, session } from '../support/index-rig.ts';

const MINUTE_MS = 60_000;

describe('the sync of the index', () => {
  let rig: IndexRig;
  beforeEach(() => {
    rig = indexRig();
    rig.lists.people = Array.from({ length: 620 }, (_, number) => identity(number));
  });
  afterEach(() => rig.sync.stop());

  const whole = (kind: Kind = 'people'): Promise<void> =>
    until(() => rig.sync.state(kind).startedAt === undefined && rig.sync.state(kind).fullAt !== undefined);
  const allWhole = async (): Promise<void> => {
    for (const kind of ['people', 'sessions', 'clients'] as const) await whole(kind);
  };
  /** Enough turns for whatever is due to be begun. */
  const quiet = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  };
  /** All that is due is read, and the first sync is forgotten. */
  async function readOnce(): Promise<void> {
    rig.sync.onQuery();
    await allWhole();
    await quiet();
    [rig.asked, rig.pauses] = [[], []];
  }
  it('starts with a query, reads page by page, and takes at most half of the store’s time', async () => {
    await quiet();
    assert.deepEqual(rig.asked, []);
    rig.sync.onQuery();
    await whole();
    assert.deepEqual(
      rig.askedOf('people').map(({ size }) => size),
      [50, 250, 250, 250],
    );
    assert.equal(rig.askedOf('people')[1]?.token, idOf(49));
    assert.ok(rig.pauses.every((ms) => ms === 10));
    assert.equal(rig.pauses.length, rig.asked.length - 1);
    assert.equal(await rig.people(), 620);
    assert.equal(rig.sync.state('people').fullAt, DAY);
  });

  it('is repeated after a quarter of an hour, takes a tenth of the store’s time, and removes deleted people', async () => {
    await readOnce();
    rig.lists.people = rig.lists.people.slice(100);
    rig.later(14 * MINUTE_MS);
    await quiet();
    assert.deepEqual(rig.askedOf('people'), []);
    rig.later(2 * MINUTE_MS);
    await until(() => rig.askedOf('people').length === 3 && rig.sync.state('people').startedAt === undefined);
    assert.ok(rig.pauses.length >= 2 && rig.pauses.every((ms) => ms === 90));
    assert.equal(await rig.people(), 520);
  });

  it('sorts people by what their schema marks as their identifier', async () => {
    rig.marks = { agents: { identifiers: [['agent_name']], names: [] } };
    rig.lists.people = ['zora', 'adam', 'mona'].map((agent_name, number) => ({
      ...identity(number),
      schema_id: 'agents',
      traits: { agent_name, email: `${3 - number}@example.org` },
    }));
    await readOnce();
    const found = await rig.index.searchPeople({}, { by: 'identifier', descending: false }, 9, undefined);
    assert.deepEqual(
      found.people.map(({ id }) => id),
      [idOf(1), idOf(2), idOf(0)],
    );
  });

  it('requests smaller pages after a timeout, and continues from its cursor', async () => {
    rig.onPage = ({ size }) => {
      if (size > 70) throw new UpstreamFailure('timeout');
    };
    rig.sync.onQuery();
    await whole();
    assert.deepEqual(
      rig.askedOf('people').map(({ size, token }) => [size, token]),
      [
        [50, undefined],
        [250, idOf(49)],
        [125, idOf(49)],
        ...Array.from({ length: 10 }, (_, page) => [62, idOf(49 + page * 62)]),
      ],
    );
    assert.equal(await rig.people(), 620);
  });

  it('that is stopped within a list has not failed', async () => {
    rig.onPage = () => {
      void rig.sync.stop();
      throw new UpstreamFailure('unreachable');
    };
    rig.sync.onQuery();
    await until(() => rig.asked.length > 0);
    await quiet();
    for (const kind of ['people', 'sessions', 'clients'] as const)
      assert.equal(rig.sync.state(kind).failingSince, undefined);
  });

  it('that fails keeps its rows, says since when, and tries again', async () => {
    await readOnce();
    rig.onPage = ({ token }) => {
      if (token !== undefined) throw new UpstreamFailure('failing');
    };
    rig.lists.people = rig.lists.people.slice(0, 100);
    rig.later(16 * MINUTE_MS);
    const state = () => rig.sync.state('people');
    await until(() => state().failingSince !== undefined);
    assert.equal(await rig.people(), 620);
    assert.equal(state().fullAt, DAY);
    await quiet();
    rig.onPage = () => {};
    rig.later(MINUTE_MS);
    await until(() => state().failingSince === undefined);
    await until(async () => (await rig.people()) === 100);
  });

  it('waits while another replica reads, and ends if its lease is lost', async () => {
    rig.mayHold = false;
    rig.sync.onQuery();
    await quiet();
    assert.deepEqual(rig.asked, []);
    rig.mayHold = true;
    rig.onPage = ({ token }) => {
      rig.mayHold = token === undefined;
    };
    rig.later(MINUTE_MS);
    await until(() => !rig.mayHold);
    await quiet();
    assert.equal(rig.askedOf('people').length, 2);
    assert.equal(rig.sync.state('people').fullAt, undefined);
    [rig.mayHold, rig.onPage] = [true, () => {}];
    rig.later(MINUTE_MS);
    await whole();
    assert.equal(await rig.people(), 620);
  });

  it('reads the newest sessions every half minute, until a page without anything new, which is no full sync', async () => {
    // Of sessions the latest come first; here, those with the lowest numbers.
    const signIns = (from: number): unknown[] => Array.from({ length: 900 - from }, (_, at) => session(from + at));
    rig.lists.sessions = signIns(500);
    await readOnce();
    rig.lists.sessions = signIns(430);
    rig.later(31_000);
    await until(() => rig.askedOf('sessions').length === 3);
    await quiet();
    assert.deepEqual(
      rig.asked.map(({ kind, token }) => [kind, token]),
      [undefined, idOf(479, '5e55'), idOf(729, '5e55')].map((token) => ['sessions', token]),
    );
    assert.equal((await rig.index.sizes()).sessions, 470);
    assert.equal(rig.sync.state('sessions').fullAt, DAY);
    rig.asked = [];
    rig.later(MINUTE_MS);
    await until(() => rig.asked.length > 0);
    await quiet();
    assert.equal(rig.asked.length, 1, 'all of it is known');
  });

  it('removes nothing if there is no room for the newest sessions', async () => {
    rig.lists.sessions = Array.from({ length: 400 }, (_, at) => session(500 + at));
    let isFull = false;
    const index = new Proxy(rig.index, {
      get: (target, name: keyof RemoteCommands) =>
        isFull && name === 'putSessions' ? async () => ({ known: false, fits: false }) : target[name],
    });
    const writer = indexWriter({ index, sources: rig.sources, refresh: () => {}, onChange: () => {} });
    rig.sync = rig.begin({ index, writer });
    await readOnce();
    isFull = true;
    rig.lists.sessions = [session(499), ...rig.lists.sessions];
    rig.later(31_000);
    await until(() => rig.askedOf('sessions').length > 0);
    await quiet();
    assert.equal((await rig.index.sizes()).sessions, 400);
    assert.equal(rig.sync.state('sessions').fits, false);
  });

  describe('while the store changes', () => {
    it('misses nobody who exists throughout, whoever is created or deleted between two pages', async () => {
      let turn = 0;
      rig.onPage = ({ kind }) => {
        if (kind !== 'people') return;
        turn += 1;
        const { people } = rig.lists;
        // One leaves from what has been read, one from what has not; newcomers on both sides.
        rig.lists.people = [
          identity(turn + 10_000),
          ...people.filter((row) => ![idOf(turn), idOf(619 - turn)].includes((row as { id: string }).id)),
          identity(turn + 20_000),
        ].sort((one, other) => (one as { id: string }).id.localeCompare((other as { id: string }).id));
      };
      rig.sync.onQuery();
      await whole();
      const held = new Set(await rig.index.peopleIds({}, 2_000));
      for (let number = turn + 1; number < 619 - turn; number += 1) assert.ok(held.has(idOf(number)), `${number}`);
    });

    it('does not restore people deleted while their page was being read, and reads written ones again', async () => {
      rig.onPage = ({ token }) => {
        if (token !== idOf(299)) return undefined;
        rig.writer.noteWritten('people', [idOf(302)]);
        rig.writer.noteWritten('people', [idOf(7)]);
        return rig.writer.remove('people', [idOf(301), idOf(7)]);
      };
      rig.sync.onQuery();
      await whole();
      assert.equal(await rig.people(), 618);
      assert.deepEqual(rig.refreshed, [idOf(302)]);
    });

    it('keeps its lease in long pauses, and releases it when the service stops in the middle of a page', async () => {
      const held: number[] = [];
      const released: number[] = [];
      const lease = {
        hold: async () => held.push(rig.clock) > 0,
        release: async () => void released.push(rig.clock),
      };
      rig.pageMs = 50_000;
      rig.onPage = ({ kind, token }) =>
        kind === 'people' && token !== undefined ? new Promise<void>(() => {}) : undefined;
      rig.sync = rig.begin({ lease });
      rig.sync.onQuery();
      await until(() => rig.askedOf('people').length === 2);
      assert.ok(
        held.every((time, at) => at === 0 || time - (held[at - 1] ?? 0) <= 70_000),
        String(held),
      );
      assert.equal(released.length, 0);
      await rig.sync.stop();
      assert.equal(released.length, 1);
    });
  });
});

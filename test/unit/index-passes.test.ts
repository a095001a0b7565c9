import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { IndexRefused, type IndexThread } from '../../server/identity-index/index-thread.ts';
import type { Kind } from '../../server/identity-index/sources.ts';
import { UpstreamFailure } from '../../server/upstream/upstream-failure.ts';
import { until } from '../support/becomes.ts';
import { DAY, type IndexRig, identity, idOf, indexRig, session } from '../support/index-rig.ts';

const MINUTE_MS = 60_000;

describe('passes over the store', () => {
  let rig: IndexRig;
  beforeEach(() => {
    rig = indexRig();
    rig.lists.people = Array.from({ length: 620 }, (_, number) => identity(number));
  });
  afterEach(() => rig.passes.stop());

  const whole = (kind: Kind = 'people'): Promise<void> =>
    until(() => rig.passes.state(kind).begunAt === undefined && rig.passes.state(kind).wholeAt !== undefined);
  const allWhole = async (): Promise<void> => {
    for (const kind of ['people', 'sessions', 'clients'] as const) await whole(kind);
  };
  /** Enough turns for whatever is due to be begun. */
  const quiet = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await setImmediate();
  };
  /** All that is due is read, and the first reading is forgotten. */
  async function readOnce(): Promise<void> {
    rig.passes.asked();
    await allWhole();
    await quiet();
    [rig.asked, rig.pauses] = [[], []];
  }
  const found = async (text: string): Promise<string[]> => (await rig.index.ids({ text }, 1_000)) as string[];

  it('begin when somebody asks, page by page, and take half of the store’s time at most', async () => {
    await quiet();
    assert.deepEqual(rig.asked, []);
    rig.passes.asked();
    await whole();
    assert.deepEqual(
      rig.askedOf('people').map(({ size }) => size),
      [50, 250, 250, 250],
    );
    assert.equal(rig.askedOf('people')[1]?.token, idOf(49));
    assert.ok(rig.pauses.every((ms) => ms === 10));
    assert.equal(rig.pauses.length, rig.asked.length - 1);
    assert.equal(await rig.people(), 620);
    assert.equal(rig.passes.state('people').wholeAt, DAY);
  });

  it('ask for pages of clients of one size: a cursor may count them', async () => {
    rig.lists.clients = Array.from({ length: 600 }, (_, number) => ({ client_id: `client-${1_000 + number}` }));
    rig.passes.asked();
    await whole('clients');
    assert.deepEqual(
      rig.askedOf('clients').map(({ size }) => size),
      [250, 250, 250],
    );
  });

  it('come again after a quarter of an hour, take a tenth of the store’s time, and drop who is gone', async () => {
    await readOnce();
    rig.lists.people = rig.lists.people.slice(100);
    rig.later(14 * MINUTE_MS);
    await quiet();
    assert.deepEqual(rig.askedOf('people'), []);
    rig.later(2 * MINUTE_MS);
    await until(() => rig.askedOf('people').length === 3 && rig.passes.state('people').begunAt === undefined);
    assert.ok(rig.pauses.length >= 2 && rig.pauses.every((ms) => ms === 90));
    assert.equal(await rig.people(), 520);
  });

  it('drop in slices all who are gone, with room for questions in between', async () => {
    rig.lists.people = Array.from({ length: 6_000 }, (_, number) => identity(number));
    await readOnce();
    rig.lists.people = rig.lists.people.slice(5_700);
    let slices = 0;
    const passes = rig.begin({
      index: new Proxy(rig.index, {
        get: (all, name: keyof IndexThread) => {
          if (name === 'endPass') slices += 1;
          return all[name];
        },
      }),
    });
    rig.passes.stop();
    rig.passes = passes;
    rig.later(0);
    await whole();
    assert.equal(await rig.people(), 300);
    assert.ok(slices > 57, `${slices}`);
    assert.deepEqual(await found('person5800@'), [idOf(5_800)]);
    assert.deepEqual(await found('person580@'), []);
  });

  it('stop while nobody has asked for an hour, and begin at once with the next question', async () => {
    await readOnce();
    rig.clock += 61 * MINUTE_MS;
    rig.passes.bringForward();
    await quiet();
    assert.deepEqual(rig.asked, []);
    rig.passes.asked();
    await until(() => rig.askedOf('people').length === 4);
  });

  it('end in their middle if nobody has asked for an hour', async () => {
    rig.onPage = () => {
      rig.clock += 61 * MINUTE_MS;
    };
    rig.passes.asked();
    await until(() => rig.passes.state('people').begunAt === undefined);
    await quiet();
    assert.equal(rig.askedOf('people').length, 1);
    assert.equal(rig.passes.state('people').wholeAt, undefined);
  });

  it('ask for less where a page takes too long, and go on from its cursor', async () => {
    rig.onPage = ({ size }) => {
      if (size > 70) throw new UpstreamFailure('timeout');
    };
    rig.passes.asked();
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

  it('that fail keep what they have, say since when, and try again', async () => {
    await readOnce();
    rig.onPage = ({ token }) => {
      if (token !== undefined) throw new UpstreamFailure('failing');
    };
    rig.lists.people = rig.lists.people.slice(0, 100);
    rig.later(16 * MINUTE_MS);
    await until(() => rig.passes.state('people').failingSince !== undefined);
    const since = rig.passes.state('people').failingSince;
    assert.equal(await rig.people(), 620);
    assert.equal(rig.passes.state('people').wholeAt, DAY);
    await quiet();
    const before = rig.askedOf('people').length;
    rig.later(MINUTE_MS);
    await until(() => rig.askedOf('people').length === before + 2);
    assert.equal(rig.passes.state('people').failingSince, since);
    await quiet();
    rig.onPage = () => {};
    rig.later(MINUTE_MS);
    await until(() => rig.passes.state('people').failingSince === undefined);
    await until(async () => (await rig.people()) === 100);
  });

  it('with a page that is no list of identities fail like those without one, and the other lists go on', async () => {
    rig.lists.people = [{ id: 1 }, 'x'];
    rig.passes.asked();
    await until(() => rig.passes.state('people').failingSince !== undefined);
    await whole('clients');
    assert.equal(rig.passes.state('people').wholeAt, undefined);
  });

  it('wait while another replica reads, and end where their turn is lost', async () => {
    rig.mayHold = false;
    rig.passes.asked();
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
    assert.equal(rig.passes.state('people').wholeAt, undefined);
    assert.equal(rig.passes.state('people').begunAt, undefined);
    assert.equal(await rig.people(), 300);
    [rig.mayHold, rig.onPage] = [true, () => {}];
    rig.later(MINUTE_MS);
    await whole();
    assert.equal(await rig.people(), 620);
  });

  it('come forward when somebody unknown was written, but not at once after the last, and after one under way', async () => {
    await readOnce();
    rig.passes.bringForward();
    await quiet();
    assert.deepEqual(rig.askedOf('people'), []);
    rig.later(2 * MINUTE_MS);
    await until(() => rig.askedOf('people').length === 4);
    await whole();
    await quiet();
    rig.asked = [];
    rig.later(16 * MINUTE_MS);
    rig.passes.bringForward();
    await whole();
    await quiet();
    rig.asked = [];
    rig.later(2 * MINUTE_MS);
    await until(() => rig.askedOf('people').length === 4);
    assert.deepEqual(rig.askedOf('clients'), []);
  });

  it('leave the texts of the index as they are where these cannot be merged', async () => {
    const refused = async () => {
      throw new IndexRefused('SQLITE_FULL');
    };
    rig.passes = rig.begin({
      index: new Proxy(rig.index, {
        get: (all, name: keyof IndexThread) => (name === 'mergeTexts' ? refused : all[name]),
      }),
    });
    rig.passes.asked();
    await allWhole();
    await quiet();
    assert.equal(rig.passes.state('people').failingSince, undefined);
  });

  describe('of the newest sessions', () => {
    /** Of sessions the latest come first; here, those with the lowest numbers. */
    const signIns = (from: number, to: number): unknown[] =>
      Array.from({ length: to - from }, (_, at) => session(from + at));
    const sizes = async (): Promise<number> => (await rig.index.sizes()).sessions;
    beforeEach(async () => {
      rig.lists.sessions = signIns(500, 900);
      await readOnce();
    });

    it('read page after page every minute, until one that holds nothing new, and count as no whole reading', async () => {
      rig.later(30_000);
      await quiet();
      assert.deepEqual(rig.asked, []);
      rig.lists.sessions = signIns(430, 900);
      rig.later(31_000);
      await until(() => rig.askedOf('sessions').length === 3);
      await quiet();
      assert.deepEqual(
        rig.asked.map(({ kind, token }) => [kind, token]),
        [undefined, idOf(479, '5e55'), idOf(729, '5e55')].map((token) => ['sessions', token]),
      );
      assert.equal(await sizes(), 470);
      assert.equal(rig.passes.state('sessions').wholeAt, DAY);
      assert.equal(rig.passes.state('sessions').begunAt, undefined);
      rig.asked = [];
      rig.later(MINUTE_MS);
      await until(() => rig.asked.length > 0);
      await quiet();
      assert.equal(rig.asked.length, 1, 'all of it is known');
    });

    it('rest while nobody looks, and begin with the next question', async () => {
      rig.later(0);
      rig.clock += 3 * MINUTE_MS;
      await quiet();
      assert.deepEqual(rig.asked, []);
      rig.passes.asked();
      await until(() => rig.asked.length === 1);
    });

    it('are left to a replica that reads, and to the next pass where they fail', async () => {
      rig.mayHold = false;
      rig.later(MINUTE_MS);
      await quiet();
      assert.deepEqual(rig.asked, []);
      rig.mayHold = true;
      rig.onPage = () => {
        throw new UpstreamFailure('failing');
      };
      rig.later(MINUTE_MS);
      await until(() => rig.asked.length === 1);
      await quiet();
      assert.equal(rig.passes.state('sessions').failingSince, undefined);
    });

    it('are read beside a long pass over the people', async () => {
      rig.lists.people = Array.from({ length: 1_300 }, (_, number) => identity(number));
      rig.lists.sessions = signIns(499, 900);
      rig.onPage = ({ kind, token }) => {
        if (kind !== 'people' || token !== idOf(299)) return;
        rig.lists.sessions = signIns(498, 900);
        rig.later(10_000);
      };
      const at = (kind: Kind, token: string | undefined): number =>
        rig.asked.findLastIndex((page) => page.kind === kind && page.token === token);
      rig.later(15 * MINUTE_MS);
      await until(() => at('people', idOf(1_049)) >= 0);
      await whole();
      await quiet();
      assert.ok(at('sessions', undefined) > at('people', idOf(299)));
      assert.ok(at('sessions', undefined) < at('people', idOf(1_049)));
      assert.equal(await sizes(), 402);
    });
  });
});

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { type IndexThread, IndexUnavailable } from '../../server/identity-index/index-thread.ts';
import type { Kind } from '../../server/identity-index/sources.ts';
import { until } from '../support/becomes.ts';
import { DAY, type IndexRig, identity, idOf, indexRig, session } from '../support/index-rig.ts';

const MINUTE_MS = 60_000;

describe('what happens during a pass', () => {
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

  it('leave out a row that is none, wherever it stands, and read on', async () => {
    rig.lists.people.splice(70, 1, { ...identity(70), id: `${idOf(70)}x` });
    rig.lists.people.splice(300, 0, { ...identity(300), id: `${idOf(299)}0` });
    rig.lists.sessions = [session(1), { ...session(2), id: 'x' }];
    rig.lists.clients = [{ client_id: 'a' }, { client_id: '' }];
    rig.passes.asked();
    await allWhole();
    assert.equal(await rig.people(), 619);
    const { sessions, clients } = await rig.index.sizes();
    assert.deepEqual([sessions, clients], [1, 1]);
  });

  it('take a text with NUL, lone surrogates and control characters, and find and forget it like any other', async () => {
    const odd = { email: 'odd@example.org', name: 'Zo\u0000e \ud800 lone \udc00\u0002\u0002end', '\u0000': '\ud83d' };
    rig.lists.people[5] = identity(5, { traits: odd });
    await readOnce();
    for (const text of ['odd@', 'lone', 'zo e', 'end']) assert.deepEqual(await found(text), [idOf(5)], text);
    rig.later(16 * MINUTE_MS);
    await until(() => rig.askedOf('people').length === 4);
    await whole();
    assert.deepEqual(await found('lone'), [idOf(5)]);
    await rig.writer.remove('people', [idOf(5)]);
    for (const text of ['odd@', 'lone', 'zo e', 'end']) assert.deepEqual(await found(text), [], text);
  });

  it('miss nobody who is there throughout, whoever else comes and goes between two pages', async () => {
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
    rig.passes.asked();
    await whole();
    const held = new Set((await rig.index.ids({}, 2_000)) as string[]);
    for (let number = turn + 1; number < 619 - turn; number += 1) assert.ok(held.has(idOf(number)), `${number}`);
  });

  it('do not bring back who was deleted while their page was on its way', async () => {
    rig.onPage = ({ token }) => (token === idOf(299) ? rig.writer.remove('people', [idOf(301), idOf(7)]) : undefined);
    rig.passes.asked();
    await whole();
    assert.equal(await rig.people(), 618);
    rig.onPage = () => {};
  });

  it('ask again for whoever was written while an older row of theirs was on its way', async () => {
    rig.onPage = ({ token }) => {
      if (token !== idOf(299)) return;
      rig.writer.noteWritten('people', idOf(301));
      rig.writer.noteWritten('people', idOf(7));
    };
    rig.passes.asked();
    await whole();
    assert.deepEqual(rig.reread, [idOf(301)]);
  });

  it('do not revive a session that ended, or those of a person, while their page was on its way', async () => {
    rig.lists.sessions = [session(1), session(2), session(3)];
    rig.onPage = async ({ kind }) => {
      if (kind !== 'sessions') return;
      await rig.writer.endSession(idOf(1, '5e55'));
      await rig.writer.endSessionsOf(idOf(2));
    };
    rig.passes.asked();
    await whole('sessions');
    const { sessions } = await rig.index.numbers(DAY);
    assert.deepEqual([sessions.sessions, sessions.active], [2, 1]);
  });

  it('keep who was written through us while they run', async () => {
    rig.onPage = async ({ token }) => {
      if (token === idOf(299))
        await rig.writer.put('people', async () => ({ text: JSON.stringify([identity(9_000)]) }));
    };
    rig.passes.asked();
    await whole();
    assert.equal(await rig.people(), 621);
  });

  it('begin anew with the index, from the first page, also in their middle', async () => {
    let isNew = false;
    rig.onPage = ({ token }) => {
      if (isNew || token !== idOf(299)) return;
      isNew = true;
      rig.passes.forgetAll({ pass: 0, readings: {} });
    };
    rig.passes.asked();
    await whole();
    assert.deepEqual(
      rig.askedOf('people').map(({ token }) => token),
      [undefined, idOf(49), idOf(299), undefined, idOf(49), idOf(299), idOf(549)],
    );
  });

  it('without the worker wait for its return', async () => {
    let isGone = true;
    const index = new Proxy(rig.index, {
      get: (all, name: keyof IndexThread) => (isGone && name === 'endPass' ? gone : all[name]),
    });
    const gone = async () => {
      throw new IndexUnavailable('gone');
    };
    rig.passes = rig.begin({ index });
    rig.passes.asked();
    await until(() => rig.passes.state('people').failingSince !== undefined);
    isGone = false;
    rig.passes.forgetAll({ pass: 0, readings: {} });
    await allWhole();
  });

  it('of a full index make room for those who are there by dropping who is not', async () => {
    const put: typeof rig.writer.put = async (kind, ask, pass) => {
      if (kind !== 'people' || (await rig.people()) < 400) return rig.writer.put(kind, ask, pass);
      return { ...(await ask()), ids: [], fits: false, known: false };
    };
    rig.lists.people = Array.from({ length: 620 }, (_, number) => identity(number));
    rig.passes = rig.begin({ writer: { ...rig.writer, put } });
    const { passes } = rig;
    passes.asked();
    await until(() => passes.state('people').wholeAt !== undefined);
    assert.equal(passes.state('people').fits, false);
    assert.equal(await rig.people(), 550);
    rig.lists.people = rig.lists.people.slice(500);
    rig.later(16 * 60_000);
    await until(() => passes.state('people').fits);
    assert.equal(await rig.people(), 120);
  });

  it('keep their turn in long pauses, and give it back when the service stops in the middle of a page', async () => {
    const events: string[] = [];
    const lease = {
      hold: async () => events.push(`held ${rig.clock}`) > 0,
      release: async () => void events.push('released'),
    };
    rig.pageMs = 50_000;
    rig.lists.people = Array.from({ length: 120 }, (_, number) => identity(number));
    let arrive = (): void => {};
    rig.onPage = ({ kind, token }) =>
      kind === 'people' && token !== undefined ? new Promise<void>((resolve) => (arrive = resolve)) : undefined;
    rig.passes = rig.begin({ lease });
    rig.passes.asked();
    await until(() => rig.askedOf('people').length === 2);
    const times = events.map((event) => Number(event.split(' ')[1]));
    assert.ok(
      times.every((time, at) => at === 0 || time - (times[at - 1] ?? 0) <= 70_000),
      String(times),
    );
    await rig.passes.stop();
    assert.equal(events.at(-1), 'released');
    const before = events.length;
    arrive();
    await setImmediate();
    await setImmediate();
    assert.deepEqual(
      events.slice(before).filter((event) => event !== 'released'),
      [],
    );
  });
});

import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import { indexCommands } from '../../server/identity-index/index-commands.ts';
import { openInMemory } from '../../server/identity-index/index-database.ts';
import { IndexRefused, type IndexThread } from '../../server/identity-index/index-thread.ts';
import { type IndexSources, indexPasses, type Passes } from '../../server/identity-index/passes.ts';
import { UpstreamFailure } from '../../server/upstream/upstream-failure.ts';
import { until } from '../support/becomes.ts';
import { silentLog } from '../support/silent-log.ts';

const MB = 1_048_576;
const MINUTE_MS = 60_000;
const DAY = Date.UTC(2026, 0, 1);
const id = (number: number): string => `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;

describe('passes over the store', () => {
  let clock: number;
  let pageMs: number;
  let people: number[];
  let failing: UpstreamFailure | undefined;
  /** What each page was asked with, and how long was waited after it. */
  let asked: { size: number; token: string | undefined }[];
  let pauses: number[];
  let onPage: () => unknown;
  let mayHold: boolean;
  let passes: Passes;
  let index: IndexThread;

  const identity = (number: number) => ({
    id: id(number),
    schema_id: 'customer',
    state: 'active',
    traits: { email: `person${number}@example.org` },
    created_at: '2026-01-01T00:00:00Z',
    updated_at: '2026-01-01T00:00:00Z',
  });
  const empty = async () => ({ entries: [], nextPageToken: undefined });
  const sources: IndexSources = {
    async people(size, token) {
      asked.push({ size, token });
      clock += pageMs;
      if (failing !== undefined) throw failing;
      const from = token === undefined ? 0 : Number(token);
      const page = people.slice(from, from + size);
      await onPage();
      const nextPageToken = from + size < people.length ? String(from + size) : undefined;
      return { text: JSON.stringify(page.map(identity)), nextPageToken };
    },
    peopleBy: async () => '[]',
    sessions: empty,
    clients: empty,
  };

  beforeEach(() => {
    [clock, pageMs, failing, asked, pauses, mayHold] = [0, 10, undefined, [], [], true];
    people = Array.from({ length: 620 }, (_, number) => number);
    onPage = () => {};
    const commands = indexCommands(openInMemory(64 * MB), () => clock);
    index = new Proxy({} as IndexThread, {
      get:
        (_, name: keyof typeof commands) =>
        async (...args: never[]) =>
          (commands[name] as (...args: never[]) => unknown)(...args),
    });
    passes = begin();
  });
  afterEach(() => passes.stop());

  const begin = (more: Partial<Parameters<typeof indexPasses>[0]> = {}): Passes =>
    indexPasses({
      index,
      sources,
      lease: { hold: async () => mayHold, release: async () => {} },
      now: () => DAY + clock,
      monotonic: () => clock,
      log: silentLog,
      sleep: async (ms) => {
        if (ms > 0) pauses.push(ms);
        clock += ms;
        await setImmediate();
      },
      ...more,
    });
  const whole = (): Promise<void> =>
    until(() => passes.state('people').begunAt === undefined && passes.state('people').wholeAt !== undefined);
  const size = async (): Promise<number> => (await index.sizes()).people;
  /** Time goes by, and somebody asks. */
  const later = (ms: number): void => {
    clock += ms;
    passes.asked();
  };

  it('begin when somebody asks, page by page, and take half of the store’s time at most', async () => {
    await setImmediate();
    assert.deepEqual(asked, []);
    passes.asked();
    await whole();
    assert.deepEqual(
      asked.map(({ size, token }) => [size, token]),
      [
        [250, undefined],
        [250, '250'],
        [250, '500'],
      ],
    );
    assert.deepEqual(pauses, [10, 10]);
    assert.equal(await size(), 620);
    assert.equal(passes.state('people').wholeAt, DAY);
  });

  it('come again after a quarter of an hour, take a tenth of the store’s time, and drop who is gone', async () => {
    passes.asked();
    await whole();
    people = people.slice(100);
    [asked, pauses] = [[], []];
    later(14 * MINUTE_MS);
    await setImmediate();
    assert.deepEqual(asked, []);
    later(2 * MINUTE_MS);
    await until(() => asked.length === 3 && passes.state('people').begunAt === undefined);
    assert.deepEqual(pauses, [90, 90]);
    assert.equal(await size(), 520);
  });

  it('stop while nobody has asked for an hour, and begin at once with the next question', async () => {
    passes.asked();
    await whole();
    clock += 61 * MINUTE_MS;
    asked = [];
    passes.bringForward();
    await setImmediate();
    assert.deepEqual(asked, []);
    passes.asked();
    await until(() => asked.length === 3);
  });

  it('ask for less where a page takes too long, and go on from its cursor', async () => {
    onPage = () => {
      if ((asked.at(-1)?.size ?? 0) > 70) throw new UpstreamFailure('timeout');
    };
    passes.asked();
    await whole();
    assert.deepEqual(asked.slice(0, 4), [
      { size: 250, token: undefined },
      { size: 125, token: undefined },
      { size: 62, token: undefined },
      { size: 62, token: '62' },
    ]);
    assert.equal(await size(), 620);
  });

  it('that fail keep what they have, say since when, and try again', async () => {
    passes.asked();
    await whole();
    failing = new UpstreamFailure('failing');
    people = [];
    later(16 * MINUTE_MS);
    await until(() => passes.state('people').failingSince !== undefined);
    const since = passes.state('people').failingSince;
    assert.equal(await size(), 620);
    assert.equal(passes.state('people').wholeAt, DAY);
    later(MINUTE_MS);
    await until(() => asked.length > 4);
    assert.equal(passes.state('people').failingSince, since);
    failing = undefined;
    later(MINUTE_MS);
    await until(() => passes.state('people').failingSince === undefined);
    assert.equal(await size(), 0);
  });

  it('with a page that is no list of identities fail like those without one', async () => {
    const refusing = async () => {
      throw new IndexRefused('SyntaxError');
    };
    passes = begin({
      index: new Proxy(index, { get: (all, name: keyof IndexThread) => (name === 'putPeople' ? refusing : all[name]) }),
    });
    passes.asked();
    await until(() => passes.state('people').failingSince !== undefined);
    await until(() => passes.state('clients').wholeAt !== undefined);
  });

  it('wait while another replica reads, and end where their turn is lost', async () => {
    mayHold = false;
    passes.asked();
    await setImmediate();
    assert.deepEqual(asked, []);
    mayHold = true;
    onPage = () => {
      mayHold = asked.length < 2;
    };
    later(MINUTE_MS);
    await until(() => asked.length === 2);
    await setImmediate();
    await setImmediate();
    assert.equal(asked.length, 2);
    assert.equal(passes.state('people').wholeAt, undefined);
    assert.equal(await size(), 500);
  });

  it('do not bring back who was deleted while their page was on its way', async () => {
    onPage = () => (asked.length === 2 ? passes.removePeople([id(300), id(7)]) : undefined);
    passes.asked();
    await whole();
    assert.equal(await size(), 618);
  });

  it('keep who was written through us while they run', async () => {
    onPage = async () => {
      if (asked.length === 3) await passes.putPeople(JSON.stringify([identity(9_000)]));
    };
    passes.asked();
    await whole();
    assert.equal(await size(), 621);
  });
});

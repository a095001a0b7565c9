import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { createLog } from '../../server/log.ts';
import type { SavedSyncs } from '../../server/search-index/database.ts';
import { indexLocation } from '../../server/search-index/file.ts';
import { type ListedRow, listedIdentities, type RowFilter } from '../../server/search-index/sources.ts';
import {
  IndexBusy,
  IndexRefused,
  IndexUnavailable,
  indexThread,
  rowsReader,
  searchQueue,
} from '../../server/search-index/thread.ts';
import type { IndexWorkerData, WorkerMessage } from '../../server/search-index/worker.ts';
import { attempt } from '../../shared/json.ts';
import { PLENTY } from '../support/context.ts';
import { until } from '../support/eventually.ts';
import { identity } from '../support/index-rig.ts';
import { folderOfTest } from '../support/of-suite.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const OPENED: WorkerMessage = { opened: { saved: { sync: 0, full: {} }, problem: undefined } };

/** A worker that the test controls. */
class FakeWorker extends EventEmitter {
  readonly data: IndexWorkerData;

  constructor(data: IndexWorkerData) {
    super();
    this.data = data;
  }
  unref(): void {}
  postMessage(): void {}
  async terminate(): Promise<number> {
    this.emit('exit', 1);
    return 1;
  }
  send(message: WorkerMessage): void {
    this.emit('message', message);
  }
  die(error?: Error): void {
    if (error !== undefined) this.emit('error', error);
    this.emit('exit', 1);
  }
}

describe('the worker thread of the index', () => {
  let clock: number;
  let workers: FakeWorker[];
  let timers: { ms: number; act: () => void }[];
  let opened: SavedSyncs[];
  let logged: { level: number; msg: string }[];
  let thread: ReturnType<typeof indexThread>;
  const inFolder = folderOfTest();

  const location = indexLocation({
    where: 'memory',
    maxMegabytes: 16,
    owner: { store: 'http://store', deployment: 'customer' },
    database: undefined,
    port: 1,
    memory: PLENTY,
  });
  const log = createLog({ level: 'info', production: true }, { write: (line) => void logged.push(JSON.parse(line)) });

  beforeEach(() => {
    [clock, workers, timers, opened, logged] = [0, [], [], [], []];
    thread = startThread();
  });
  afterEach(() => void thread.stop());

  const startThread = (over: Partial<Parameters<typeof indexThread>[0]> = {}): ReturnType<typeof indexThread> =>
    indexThread({
      location,
      now: () => 1_000 + clock,
      monotonic: () => clock,
      onOpen: (saved) => void opened.push(saved),
      log,
      start(data) {
        const worker = new FakeWorker(data);
        workers.push(worker);
        return worker;
      },
      later(ms, act) {
        const timer = { ms, act };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
      ...over,
    });
  const worker = (): FakeWorker => workers.at(-1) as FakeWorker;
  /** Runs the only timer. @returns its delay */
  function runTimer(): number {
    assert.equal(timers.length, 1);
    const [{ ms, act }] = timers.splice(0) as [{ ms: number; act: () => void }];
    clock += ms;
    act();
    return ms;
  }
  const errors = (): string[] => logged.filter(({ level }) => level >= 50).map(({ msg }) => msg);

  it('rejects the waiting commands when it dies, logs that once, and is restarted after a second', async () => {
    worker().send(OPENED);
    const waiting = thread.commands.sizes();
    worker().die(new Error('out of memory'));
    await assert.rejects(waiting, IndexUnavailable);
    await assert.rejects(thread.commands.sizes(), IndexUnavailable);
    await assert.rejects(thread.opened(), IndexUnavailable);
    assert.deepEqual(errors(), ['the index worker has ended and will be restarted']);
    assert.equal(runTimer(), SECOND);
    assert.equal(workers.length, 2);
    assert.deepEqual([worker().data.empty, worker().data.now], [false, 2_000]);
    worker().send(OPENED);
    assert.equal(opened.length, 2);
  });

  it('is restarted with delays that double up to five minutes, until a worker has run for a minute', () => {
    const delays: number[] = [];
    for (let death = 0; death < 10; death += 1) {
      worker().send(OPENED);
      clock += MINUTE - 1;
      worker().die();
      delays.push(runTimer() / SECOND);
    }
    assert.deepEqual(delays, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
    worker().send(OPENED);
    clock += MINUTE;
    worker().die();
    assert.equal(runTimer(), SECOND);
  });

  it('is replaced if it does not respond for 30 seconds while commands wait, but at most once in ten minutes', async () => {
    async function waitWithoutResponse(): Promise<void> {
      const waiting = thread.commands.sizes();
      assert.equal(runTimer(), 30 * SECOND);
      await assert.rejects(waiting, IndexUnavailable);
    }
    worker().send(OPENED);
    assert.equal(timers.length, 0);
    await waitWithoutResponse();
    assert.equal(workers.length, 2);
    worker().send(OPENED);
    await waitWithoutResponse();
    assert.equal(workers.length, 2);
    clock += 10 * MINUTE;
    await waitWithoutResponse();
    assert.equal(workers.length, 3);
    assert.deepEqual(new Set(errors()), new Set(['the index worker does not respond and is replaced']));
  });

  it('is terminated only after it has opened the index, since Node aborts while it loads SQLite’s native code', async () => {
    thread.empty();
    await setImmediate();
    assert.equal(workers.length, 1);
    worker().send(OPENED);
    await until(() => workers.length === 2);
    assert.equal(worker().data.empty, true);
  });

  it('accepts a thousand commands at once', async () => {
    worker().send(OPENED);
    const commands = Array.from({ length: 1_000 }, (_, number) => thread.commands.remove('identities', [`${number}`]));
    for (let number = 1; number <= commands.length; number += 1) worker().send({ number, result: undefined });
    await Promise.all(commands);
  });

  it('rejects a query if its file is damaged, and continues with an empty file', async () => {
    const path = inFolder('people.index');
    const page = (from: number): string =>
      JSON.stringify(
        Array.from({ length: 250 }, (_, index) => identity(from + index, { traits: { name: `Somebody ${index}` } })),
      );
    thread = startThread({
      location: { ...location, file: { path, maxBytes: 64 * 1_048_576, cacheBytes: 65_536 } },
      start: undefined,
    });
    for (let from = 0; from < 2_000; from += 250) await thread.commands.putIdentities(page(from), 1);
    const file = openSync(path, 'r+');
    writeSync(file, Buffer.alloc(524_288, 'x'), 0, 524_288, 4_096);
    closeSync(file);
    await assert.rejects(thread.commands.countIdentities({ words: ['somebody'] }), IndexUnavailable);
    await until(() => timers.length === 1);
    assert.deepEqual(errors(), ['the index worker has ended and will be restarted']);
    runTimer();
    assert.equal((await thread.commands.sizes()).identities, 0);
    assert.equal((await thread.commands.putIdentities(page(0), 1)).fits, true);
    await thread.stop();
  });
});

describe('the queue of searches', () => {
  it('serves each session in turn, and refuses a session with too many searches', async () => {
    const inQueue = searchQueue({ places: 1, waiting: 20, waitMs: 60_000 });
    const served: string[] = [];
    const search = (session: string, times: number): Promise<unknown>[] =>
      Array.from({ length: times }, () =>
        inQueue(session, async () => {
          await setImmediate();
          served.push(session);
        }),
      );
    const flood = Promise.allSettled(search('viewer', 300));
    await Promise.all(search('admin', 8));
    assert.ok(served.length <= 17, served.join(' '));
    const refused = (await flood).filter(({ status }) => status === 'rejected') as PromiseRejectedResult[];
    assert.ok(refused.length > 0 && refused.every(({ reason }) => reason instanceof IndexBusy));
  });
});

describe('the reader of pages of identities', () => {
  const small = JSON.stringify([identity(1)]);
  const large = JSON.stringify([identity(1, { metadata_admin: 'x'.repeat(300_000) })]);
  let pagesInWorker: number;
  beforeEach(() => {
    pagesInWorker = 0;
  });
  const reader = (parse: (page: string, filter: RowFilter) => ListedRow[] = listedIdentities) =>
    rowsReader(() => ({
      async listedIdentities(page, filter) {
        pagesInWorker += 1;
        return parse(page, filter);
      },
    }));

  it('parses large pages in the worker and small ones itself, with the same five fields', async () => {
    const read = reader();
    const rows = [...(await read(small, {})), ...(await read(large, {}))];
    assert.equal(pagesInWorker, 1);
    const { schema_id, ...fields } = identity(1);
    for (const { json, schemaId } of rows) assert.deepEqual([JSON.parse(json), schemaId], [fields, schema_id]);
    assert.equal(rows.length, 2);
  });

  it('parses a large page itself while there is no worker', async () => {
    const read = reader(() => {
      throw new IndexUnavailable();
    });
    assert.equal((await read(large, {})).length, 1);
  });

  it('returns a row without traits that are nested too deeply to be serialised, and all other rows unchanged', async () => {
    // Kratos is written in Go, which parses up to 10,000 levels. Node 26 has no limit.
    const deep = `${'['.repeat(9_990)}${']'.repeat(9_990)}`;
    const traits = attempt(() => JSON.stringify({ deep: JSON.parse(deep) })) ?? '{}';
    const page = JSON.stringify([identity(1, { traits: { deep: 0 } }), identity(2)]).replace(
      '"deep":0',
      `"deep":${deep}`,
    );
    const rows = (await reader()(page, {})).map(({ json }) => JSON.parse(json) as { id: string; traits: object });
    assert.deepEqual([rows[0]?.id, JSON.stringify(rows[0]?.traits)], [identity(1).id, traits]);
    assert.deepEqual(rows[1]?.traits, identity(2).traits);
  });

  it('returns an empty string for a field that is not a string', async () => {
    // Converting this object to a string throws.
    const invalid = { toString: 1 };
    const credentials = { password: { identifiers: [invalid] } };
    const page = [identity(1, { state: invalid, created_at: invalid, updated_at: 1, credentials })];
    const [row] = await reader()(JSON.stringify(page), { prefix: 'a' });
    assert.equal(row?.isMatch, false);
    const { state, created_at, updated_at } = JSON.parse(row.json) as Record<string, unknown>;
    assert.deepEqual([state, created_at, updated_at], ['', '', '']);
  });

  it('rejects an invalid page with an error of the store that quotes nothing from the page', async () => {
    const read = reader(() => {
      throw new IndexRefused('SyntaxError');
    });
    for (const page of ['{"secret":1}', '[{"secret":1}]', '[secret', large])
      await assert.rejects(
        read(page, {}),
        ({ kind, cause }: { kind?: string; cause?: unknown }) => kind === 'nonsense' && cause === undefined,
      );
  });
});

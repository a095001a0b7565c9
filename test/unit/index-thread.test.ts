import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../server/log.ts';
import type { SavedSyncs } from '../../server/search-index/database.ts';
import { indexLocation } from '../../server/search-index/file.ts';
import { type IndexThread, IndexUnavailable, indexThread } from '../../server/search-index/thread.ts';
import type { IndexWorkerData, WorkerMessage } from '../../server/search-index/worker.ts';
import { PLENTY } from '../support/context.ts';
import { until } from '../support/eventually.ts';
import { range } from '../support/index-files.ts';
import { identity } from '../support/index-rig.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const NOTHING: SavedSyncs = { sync: 0, full: {} };
const OPENED: WorkerMessage = { opened: { saved: NOTHING, problem: undefined } };

/** A worker that does what the test says. */
class StandIn extends EventEmitter {
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
  says(said: WorkerMessage): void {
    this.emit('message', said);
  }
  dies(error?: Error): void {
    if (error !== undefined) this.emit('error', error);
    this.emit('exit', 1);
  }
}

describe('the thread of the index', () => {
  let clock: number;
  let workers: StandIn[];
  let later: { ms: number; act: () => void }[];
  let opened: SavedSyncs[];
  let logged: { level: number; msg: string }[];
  let thread: IndexThread;

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
    [clock, workers, later, opened, logged] = [0, [], [], [], []];
    thread = begin();
  });
  afterEach(() => thread.stop());

  const begin = (over: Partial<Parameters<typeof indexThread>[0]> = {}): IndexThread =>
    indexThread({
      location,
      now: () => 1_000 + clock,
      monotonic: () => clock,
      onOpen: (saved) => void opened.push(saved),
      log,
      start(data) {
        const worker = new StandIn(data);
        workers.push(worker);
        return worker;
      },
      later(ms, act) {
        const waiting = { ms, act };
        later.push(waiting);
        return () => void later.splice(later.indexOf(waiting), 1);
      },
      ...over,
    });
  const worker = (): StandIn => workers.at(-1) as StandIn;
  /** The next worker is started. @returns how long that took */
  function restarted(): number {
    assert.equal(later.length, 1);
    const [{ ms, act }] = later.splice(0) as [{ ms: number; act: () => void }];
    clock += ms;
    act();
    return ms;
  }
  const errors = (): string[] => logged.filter(({ level }) => level >= 50).map(({ msg }) => msg);

  it('is restarted when it dies, is logged once, and rejects what waits for it', async () => {
    worker().says(OPENED);
    const waiting = thread.commands.sizes();
    worker().dies(new Error('out of memory'));
    await assert.rejects(waiting, IndexUnavailable);
    await assert.rejects(thread.commands.sizes(), IndexUnavailable);
    await assert.rejects(thread.opened(), IndexUnavailable);
    assert.deepEqual(errors(), ['the index worker has ended and will be restarted']);
    assert.equal(restarted(), SECOND);
    assert.equal(workers.length, 2);
    assert.deepEqual([worker().data.empty, worker().data.now], [false, 2_000]);
    worker().says(OPENED);
    assert.equal(opened.length, 2);
  });

  it('that dies repeatedly is restarted with growing delays of up to five minutes, until one lives', () => {
    const waits: number[] = [];
    for (let death = 0; death < 10; death += 1) {
      worker().says(OPENED);
      clock += MINUTE - 1;
      worker().dies();
      waits.push(restarted() / SECOND);
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]);
    worker().says(OPENED);
    clock += MINUTE;
    worker().dies();
    assert.equal(restarted(), SECOND);
  });

  it('that is silent for half a minute while commands wait is replaced, at most once in ten minutes', async () => {
    const silent = async (): Promise<number> => {
      const waiting = thread.commands.sizes();
      assert.equal(restarted(), 30 * SECOND);
      await assert.rejects(waiting, IndexUnavailable);
      return workers.length;
    };
    worker().says(OPENED);
    assert.equal(later.length, 0);
    assert.equal(await silent(), 2);
    worker().says(OPENED);
    assert.equal(await silent(), 2);
    clock += 10 * MINUTE;
    assert.equal(await silent(), 3);
    assert.deepEqual(new Set(errors()), new Set(['the index worker does not respond and is replaced']));
  });

  it('accepts thousands of changes', async () => {
    worker().says(OPENED);
    const changes = range(1_000).map((number) => thread.commands.remove('people', [`${number}`]));
    for (const number of range(1_000, 1)) worker().says({ number, result: undefined });
    await Promise.all(changes);
  });

  describe('in earnest', () => {
    let folder: string;
    let path: string;

    beforeEach(async () => {
      folder = await mkdtemp(join(tmpdir(), 'index-thread-'));
      path = join(folder, 'people.index');
    });
    afterEach(async () => {
      await thread.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const page = (from: number): string =>
      JSON.stringify(range(250, from).map((number) => identity(number, { traits: { name: `Somebody ${number}` } })));
    const inEarnest = (): IndexThread =>
      begin({
        location: { ...location, file: { path, maxBytes: 64 * 1_048_576, cacheBytes: 65_536 } },
        start: undefined,
      });

    it('whose file is damaged while in use rejects the query, and rebuilds the file', async () => {
      await thread.stop();
      thread = inEarnest();
      for (let from = 0; from < 2_000; from += 250) await thread.commands.putPeople(page(from), 1);
      const file = openSync(path, 'r+');
      writeSync(file, Buffer.alloc(524_288, 'x'), 0, 524_288, 4_096);
      closeSync(file);
      await assert.rejects(thread.commands.countPeople({ words: ['somebody'] }), IndexUnavailable);
      await until(() => later.length === 1);
      assert.deepEqual(errors(), ['the index worker has ended and will be restarted']);
      restarted();
      assert.equal((await thread.commands.sizes()).people, 0);
      assert.equal((await thread.commands.putPeople(page(0), 1)).fits, true);
    });
  });
});

import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLog } from '../../server/log.ts';
import type { SavedSyncs } from '../../server/search-index/database.ts';
import { indexLocation } from '../../server/search-index/file.ts';
import { type ListedPerson, listedPeople, type RowFilter } from '../../server/search-index/sources.ts';
import {
  IndexRefused,
  type IndexThread,
  IndexUnavailable,
  indexThread,
  rowsReader,
} from '../../server/search-index/thread.ts';
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

describe('a page of identities', () => {
  const small = JSON.stringify([identity(1)]);
  const large = JSON.stringify([identity(1, { metadata_admin: 'x'.repeat(300_000) })]);
  /** How many pages the worker was given. */
  let given: number;
  beforeEach(() => {
    given = 0;
  });
  const reading = (response: (page: string, filter: RowFilter) => ListedPerson[] = listedPeople) =>
    rowsReader(() => ({
      async listedPeople(page, wanted) {
        given += 1;
        return response(page, wanted);
      },
    }));

  it('that is large is parsed by the worker, a small one at once, and both have the same five fields', async () => {
    const read = reading();
    const rows = [...(await read(small, {})), ...(await read(large, {}))];
    assert.equal(given, 1);
    const { schema_id, ...fields } = identity(1);
    for (const { json, schemaId } of rows) assert.deepEqual([JSON.parse(json), schemaId], [fields, schema_id]);
    assert.equal(rows.length, 2);
  });

  it('is parsed here while there is no worker', async () => {
    const read = reading(() => {
      throw new IndexUnavailable();
    });
    assert.equal((await read(large, {})).length, 1);
  });

  it('keeps its other rows whole if the traits of one are nested too deeply to be serialised', async () => {
    // Go parses 10,000 levels.
    const deep = `${'['.repeat(9_990)}${']'.repeat(9_990)}`;
    const page = JSON.stringify([identity(1, { traits: { deep: 0 } }), identity(2)]).replace(
      '"deep":0',
      `"deep":${deep}`,
    );
    const rows = (await reading()(page, {})).map(({ json }) => JSON.parse(json) as { id: string; traits: object });
    assert.deepEqual([rows[0]?.id, rows[0]?.traits], [identity(1).id, {}]);
    assert.deepEqual(rows[1]?.traits, identity(2).traits);
  });

  it('has empty texts where the store sends anything else', async () => {
    // No text can be made of such an object.
    const none = { toString: 1 };
    const credentials = { password: { identifiers: [none] } };
    const page = [identity(1, { state: none, created_at: none, updated_at: 1, credentials })];
    const [row] = await reading()(JSON.stringify(page), { prefix: 'a' });
    assert.equal(row?.isMatch, false);
    const { state, created_at, updated_at } = JSON.parse(row.json) as Record<string, unknown>;
    assert.deepEqual([state, created_at, updated_at], ['', '', '']);
  });

  it('that is none is a failure of the store, which quotes nothing of it', async () => {
    const read = reading(() => {
      throw new IndexRefused('SyntaxError');
    });
    for (const page of ['{"secret":1}', '[{"secret":1}]', '[secret', large])
      await assert.rejects(
        read(page, {}),
        ({ kind, cause }: { kind?: string; cause?: unknown }) => kind === 'nonsense' && cause === undefined,
      );
  });
});

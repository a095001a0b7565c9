import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  closeSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { SqliteConnection } from '../../server/db/sqlite-driver.ts';
import { type IndexCommands, indexCommands } from '../../server/identity-index/index-commands.ts';
import type { IndexDatabase } from '../../server/identity-index/index-database.ts';
import { APPLICATION_ID, refusalOf } from '../../server/identity-index/index-file.ts';
import { type IndexPlace, indexPlace, openIndex } from '../../server/identity-index/index-place.ts';
import { startNode } from '../support/processes.ts';
import { smallDisk } from '../support/small-disk.ts';

const HOUR_MS = 3_600_000;
const NOW = Date.UTC(2026, 0, 2);
const MB = 1_048_576;

const id = (number: number): string => `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;
const nameOf = (number: number): string => `Zebulon${number}Quartermain`;
const pageOf = (numbers: readonly number[], traits: object = {}): string =>
  JSON.stringify(
    numbers.map((number) => ({
      id: id(number),
      schema_id: 'customer',
      state: 'active',
      traits: { email: `${nameOf(number)}@example.org`.toLowerCase(), name: nameOf(number), ...traits },
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
    })),
  );
const range = (length: number, from = 0): number[] => Array.from({ length }, (_, index) => from + index);

interface Opened {
  database: IndexDatabase;
  problem: string | undefined;
  commands: IndexCommands;
}

describe('the file of the index', () => {
  let folder: string;
  let path: string;
  let open: IndexDatabase[];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'index-file-'));
    path = join(folder, 'people.index');
    open = [];
  });
  afterEach(async () => {
    for (const database of open) database.close();
    await rm(folder, { recursive: true, force: true });
  });

  const placeAt = (file: string, over: Partial<IndexPlace> = {}, maxMegabytes = 32): IndexPlace => ({
    ...indexPlace({
      where: { file },
      maxMegabytes,
      owner: { store: 'http://store', deployment: 'customer' },
      database: join(folder, 'dashboard.sqlite'),
      port: 3000,
    }),
    ...over,
  });
  function opened(at: Partial<{ place: IndexPlace; now: number; anew: boolean }> = {}): Opened {
    const { place = placeAt(path), now = NOW, anew = false } = at;
    const index = openIndex(place, { now, anew });
    open.push(index.database);
    return { ...index, commands: indexCommands(index.database) };
  }
  /** Leaves a file with some people in it, read to their end an hour ago. */
  function left(people = 3): void {
    const { database, problem, commands } = opened({ now: NOW - HOUR_MS });
    assert.equal(problem, undefined);
    commands.putPeople(pageOf(range(people)), 7);
    commands.endPass('people', 7);
    commands.keepReading('people', { wholeAt: NOW - HOUR_MS, fits: true });
    database.close();
  }
  const modeOf = (file: string): number => statSync(file).mode & 0o777;

  it('is made for its owner alone, and so is what SQLite puts beside it', () => {
    const umask = process.umask(0);
    const { database, commands } = opened();
    commands.putPeople(pageOf([1]), 1);
    process.umask(umask);
    assert.deepEqual([modeOf(path), modeOf(`${path}-journal`)], [0o600, 0o600]);
    assert.equal(database.pragma('application_id', { simple: true }), APPLICATION_ID);
    database.close();
    chmodSync(path, 0o644);
    opened();
    assert.equal(modeOf(path), 0o600);
  });

  it('keeps what was read for the next process, and the number of the last pass', () => {
    left();
    const { problem, commands } = opened();
    assert.equal(problem, undefined);
    assert.equal(commands.sizes().people, 3);
    assert.equal(commands.count({ text: 'bulon1quart' }), 1);
    assert.deepEqual(commands.readings(), {
      pass: 7,
      readings: { people: { wholeAt: NOW - HOUR_MS, fits: true } },
    });
    assert.equal(commands.unconfirmedSince(), NOW - HOUR_MS);
  });

  it('numbers a pass before anything bears the number', () => {
    const { database, commands } = opened();
    commands.putPeople(pageOf([1]), 12);
    database.close();
    assert.equal(opened().commands.readings().pass, 12);
  });

  function overwrite(at: number, bytes: Buffer): undefined {
    const file = openSync(path, 'r+');
    writeSync(file, bytes, 0, bytes.length, at);
    closeSync(file);
  }
  function cut(bytes: number): undefined {
    truncateSync(path, bytes);
  }
  const OUTDATED: [title: string, change: () => Parameters<typeof opened>[0] | undefined][] = [
    [
      'of another format',
      () => {
        const database = new SqliteConnection(path);
        database.pragma('user_version = 999');
        database.close();
        return undefined;
      },
    ],
    [
      'of another store',
      () => ({ place: placeAt(path, { owner: { store: 'http://other', deployment: 'customer' } }) }),
    ],
    [
      'of another deployment',
      () => ({ place: placeAt(path, { owner: { store: 'http://store', deployment: 'workforce' } }) }),
    ],
    ['that no pass has confirmed for a day', () => ({ now: NOW + 23 * HOUR_MS })],
    ['of a time that has not come', () => ({ now: NOW - 2 * HOUR_MS })],
    ['that is to be thrown away', () => ({ anew: true })],
    ['whose first bytes are gone', () => overwrite(0, Buffer.alloc(64, 'x'))],
    ['that was cut', () => cut(4_096)],
    ['whose pages are not SQLite’s', () => overwrite(4_096, Buffer.alloc(64 * 1_024, 'x'))],
    ['that was left before its tables were made', () => cut(0)],
  ];
  for (const [title, change] of OUTDATED)
    it(`${title} is built anew`, () => {
      left();
      const { problem, commands } = opened(change());
      assert.equal(problem, undefined);
      assert.equal(commands.sizes().people, 0);
      assert.deepEqual(commands.readings(), { pass: 0, readings: {} });
      assert.equal(commands.unconfirmedSince(), undefined);
      assert.equal(commands.putPeople(pageOf([1]), 1).rest, true);
    });

  it('is built anew where it is larger than it may be now', () => {
    const { database, commands } = opened();
    for (let from = 0; from < 6_000; from += 250) commands.putPeople(pageOf(range(250, from)), 1);
    database.close();
    const place = placeAt(path, {}, 1);
    assert.ok(statSync(path).size > MB);
    assert.equal(opened({ place }).commands.sizes().people, 0);
  });

  it('is not confirmed by a pass that it had no room for', () => {
    const { commands } = opened();
    commands.putPeople(pageOf([1]), 1);
    assert.equal(commands.keepReading('people', { wholeAt: NOW + HOUR_MS, fits: false }), false);
    assert.equal(commands.unconfirmedSince(), NOW);
    assert.equal(commands.keepReading('people', { wholeAt: NOW + 2 * HOUR_MS, fits: true }), true);
    assert.equal(commands.unconfirmedSince(), NOW + 2 * HOUR_MS);
  });

  it('has no eighth of the memory as its limit, as the index in memory has', () => {
    const setting = { maxMegabytes: 128, owner: { store: '', deployment: '' }, database: undefined, port: 1 };
    const inMemory = indexPlace({ ...setting, where: 'memory', usable: 256 * MB });
    assert.deepEqual([inMemory.memoryBytes, inMemory.file], [32 * MB, undefined]);
    assert.equal(indexPlace({ ...setting, where: 'memory', usable: 4_096 * MB }).memoryBytes, 128 * MB);
    assert.equal(indexPlace({ ...setting, where: { file: path }, usable: 256 * MB }).file?.maxBytes, 128 * MB);
    assert.equal(indexPlace({ ...setting, where: 'off' }).memoryBytes, 0);
  });

  describe('is refused, and left as it is,', () => {
    const FOREIGN: [title: string, make: () => void, problem: RegExp][] = [
      ['as the file of another program', () => writeFileSync(path, 'x'.repeat(5_000)), /is not an index/],
      ['as a short text', () => writeFileSync(path, 'hello'), /is not an index/],
      [
        'as another database of SQLite',
        () => new SqliteConnection(path).exec('create table t (a)').close(),
        /is not an index/,
      ],
      ['as a directory', () => mkdirSync(path), /names a directory/],
      ['as a symbolic link', () => symlinkSync(join(folder, 'elsewhere'), path), /names a symbolic link/],
      ['as a pipe', () => spawnSync('mkfifo', [path]), /names something else/],
      ['with a link for its journal', () => symlinkSync('/etc/hosts', `${path}-journal`), /-journal.* symbolic link/],
      [
        'where it may not be read',
        () => {
          left();
          chmodSync(path, 0o000);
        },
        /may not read and write/,
      ],
      ['in a folder that may not be written', () => chmodSync(folder, 0o500), /may not read and write/],
    ];
    for (const [title, make, problem] of FOREIGN)
      it(title, function () {
        if (/may not/.test(title) && process.geteuid?.() === 0) this.skip();
        make();
        const isFile = statSync(path, { throwIfNoEntry: false })?.isFile() && !/may not/.test(title);
        const before = isFile ? readFileSync(path) : undefined;
        assert.match(refusalOf(path, undefined) ?? '', problem);
        const { problem: said } = opened();
        assert.match(said ?? '', problem);
        if (before !== undefined) assert.deepEqual(readFileSync(path), before);
        chmodSync(folder, 0o700);
      });

    it('in a folder that is not there', () => {
      assert.match(refusalOf(join(folder, 'none', 'people.index'), undefined) ?? '', /folder that does not exist/);
      writeFileSync(path, '');
      assert.match(refusalOf(join(path, 'people.index'), undefined) ?? '', /folder that does not exist/);
    });

    it('as the dashboard’s own database, however it is spelled, and as what SQLite puts beside either', () => {
      const database = join(folder, 'dashboard.sqlite');
      const isRefused = (file: string, own = database): boolean =>
        /database of DATABASE_URL/.test(refusalOf(file, own) ?? '');
      for (const ending of ['', '-wal', '-shm', '-journal']) assert.ok(isRefused(database + ending), ending);
      assert.ok(isRefused(path, `${path}-journal`));
      assert.ok(isRefused(database, relative(process.cwd(), database)));
      symlinkSync(folder, join(folder, 'link'));
      assert.ok(isRefused(join(folder, 'link', 'dashboard.sqlite')));
      left();
      linkSync(path, database);
      assert.ok(isRefused(path), 'by a hard link');
      renameSync(path, join(folder, 'moved'));
      symlinkSync(join(folder, 'moved'), join(folder, 'own.sqlite'));
      assert.ok(isRefused(join(folder, 'moved'), join(folder, 'own.sqlite')), 'by a link of the database');
      assert.equal(isRefused(path), false);
    });
  });

  it('that another process holds is left to it, and the index is in memory', async () => {
    left();
    const holder = startNode([
      '--import',
      'tsx',
      '-e',
      `import('./server/identity-index/index-place.ts').then(({ openIndex }) => {
         openIndex(${JSON.stringify(placeAt(path))}, { now: ${NOW}, anew: false });
         console.log('held');
         setInterval(() => {}, 1e6);
       });`,
    ]);
    await holder.printed(/held/);
    const { problem, commands } = opened({ anew: true });
    assert.equal(problem, 'is held by another process');
    assert.equal(commands.sizes().people, 0);
    assert.equal(commands.putPeople(pageOf([1]), 1).rest, true);
    await holder.stop('SIGKILL');
    const freed = opened();
    assert.deepEqual([freed.problem, freed.commands.sizes().people], [undefined, 3]);
  });

  it('is whole after its process was killed in the middle of writing', async () => {
    const writer = startNode([
      '--import',
      'tsx',
      '-e',
      `Promise.all([import('./server/identity-index/index-place.ts'), import('./server/identity-index/index-commands.ts')])
        .then(([{ openIndex }, { indexCommands }]) => {
          const { database } = openIndex(${JSON.stringify(placeAt(path))}, { now: ${NOW}, anew: false });
          const { putPeople } = indexCommands(database);
          for (let at = 0; ; at += 1) {
            const person = (number) => ({ id: (number % 4000).toString(16).padStart(8, '0') + '-0000-4000-8000-000000000000',
              schema_id: 'customer', state: 'active', traits: { name: 'Name ' + number + ' of ' + at },
              created_at: '2026-01-01T00:00:00Z', updated_at: '2026-01-01T00:00:00Z' });
            putPeople(JSON.stringify(Array.from({ length: 250 }, (_, index) => person(at * 250 + index))), at + 1);
            if (at === 20) console.log('writing');
          }
        });`,
    ]);
    await writer.printed(/writing/);
    await writer.stop('SIGKILL');
    const { database, problem, commands } = opened();
    assert.equal(problem, undefined);
    assert.ok(commands.sizes().people > 3_000);
    assert.equal(database.pragma('integrity_check', { simple: true }), 'ok');
    database.exec("insert into texts (texts, rank) values ('integrity-check', 1)");
  });

  it('holds no text of people who were removed or changed, and neither does its journal', () => {
    const { database, commands } = opened();
    for (let from = 0; from < 3_000; from += 250) commands.putPeople(pageOf(range(250, from)), 1);
    const removed = range(3_000).filter((number) => number % 3 === 0);
    commands.removePeople(removed.map(id));
    const changed = range(3_000).filter((number) => number % 3 === 1);
    commands.putPeople(pageOf(changed, { email: 'changed@example.org', name: 'Changed' }), 2);
    const bytes = [path, `${path}-journal`]
      .map((file) => readFileSync(file, 'latin1'))
      .join('')
      .toLowerCase();
    const traces = (numbers: readonly number[]): string[] =>
      numbers.map((number) => nameOf(number).toLowerCase()).filter((text) => bytes.includes(text));
    assert.deepEqual(traces(removed), []);
    assert.deepEqual(traces(changed), []);
    assert.equal(traces(range(3_000).filter((number) => number % 3 === 2)).length, 1_000);
    assert.equal(database.pragma('journal_mode', { simple: true }), 'truncate');
  });

  it('on a full disk is as full as at its own limit, holds what it held, and goes on when there is room', async () => {
    const disk = await smallDisk(8);
    try {
      const place = placeAt(join(disk.path, 'people.index'));
      const { problem, commands } = opened({ place });
      assert.equal(problem, undefined);
      commands.putPeople(pageOf(range(500)), 1);
      commands.endPass('people', 1);
      assert.equal(commands.keepReading('people', { wholeAt: NOW, fits: true }), true);
      disk.fill();
      assert.equal(commands.putPeople(pageOf(range(2_000, 500)), 2).rest, false);
      const session = {
        id: id(1),
        identityId: id(1),
        active: true,
        issuedAt: 1,
        authenticatedAt: 1,
        expiresAt: 0,
        place: undefined,
        device: 'x'.repeat(100),
      };
      assert.equal(
        commands.putSessions(
          range(500).map((number) => ({ ...session, id: id(number) })),
          2,
        ),
        false,
      );
      const client = { id: 'x'.repeat(10_000), name: '', owner: '', grants: [] };
      assert.equal(commands.putClients([client], 2), false);
      commands.endPass('people', 3);
      assert.equal(commands.keepReading('people', { wholeAt: NOW + HOUR_MS, fits: true }), false);
      assert.deepEqual([commands.sizes().people, commands.count({ text: 'quartermain' })], [500, 500]);
      await disk.free();
      assert.equal(commands.putPeople(pageOf(range(500)), 4).rest, true);
      commands.endPass('people', 4);
      assert.equal(commands.keepReading('people', { wholeAt: NOW + HOUR_MS, fits: true }), true);
    } finally {
      for (const database of open.splice(0)) database.close();
      await disk.close();
    }
  });
});

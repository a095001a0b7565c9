import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { relative } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { IndexDatabase } from '../../server/search-index/database.ts';
import {
  APPLICATION_ID,
  type IndexLocation,
  indexLocation,
  openIndex,
  refusalOf,
} from '../../server/search-index/file.ts';
import { indexCommands } from '../../server/search-index/worker.ts';
import { PLENTY } from '../support/context.ts';
import { identity, idOf } from '../support/index-rig.ts';
import { folderOfTest } from '../support/of-suite.ts';
import { startNode } from '../support/processes.ts';
import { describeWithSmallDisk, smallDisk } from '../support/small-disk.ts';

const HOUR_MS = 3_600_000;
/** The time at which files are opened. */
const NOW = Date.UTC(2026, 0, 2);

const nameOf = (number: number): string => `Zebulon${number}Quartermain`;
const range = (length: number, from = 0): number[] => Array.from({ length }, (_, index) => from + index);
/** A page of people, by their numbers. */
const pageOf = (numbers: readonly number[], traits?: object): string =>
  JSON.stringify(
    numbers.map((number) => {
      const name = nameOf(number);
      return identity(number, { traits: { email: `${name}@example.org`.toLowerCase(), name, ...traits } });
    }),
  );

describe('the file of the index', () => {
  afterEach(closeAll);
  const inFolder = folderOfTest();
  const path = (): string => inFolder('people.index');
  const open: IndexDatabase[] = [];
  const locationAt = (file: string, over?: Partial<IndexLocation>): IndexLocation => ({
    ...indexLocation({
      where: { file },
      maxMegabytes: 32,
      owner: { store: 'http://store', deployment: 'customer' },
      database: inFolder('dashboard.sqlite'),
      port: 3000,
      memory: PLENTY,
    }),
    ...over,
  });
  function opened({
    now = NOW,
    empty = false,
    ...at
  }: {
    location?: IndexLocation;
    now?: number;
    empty?: boolean;
  } = {}) {
    const index = openIndex(at.location ?? locationAt(path()), { now, empty });
    open.push(index.database);
    return { ...index, commands: indexCommands(index.database) };
  }
  /** Leaves a closed file with people that were synced completely an hour ago. */
  function left(identities = 3): void {
    const { database, problem, commands } = opened({ now: NOW - HOUR_MS });
    assert.equal(problem, undefined);
    commands.putIdentities(pageOf(range(identities)), 7);
    commands.removeUnseen('identities', 7, 0);
    commands.saveFullSync('identities', { fullAt: NOW - HOUR_MS, fits: true });
    database.close();
  }
  function closeAll(): void {
    for (const database of open.splice(0)) database.close();
  }

  it('is readable by its owner alone, as are SQLite’s files beside it', () => {
    const modeOf = (file: string): number => statSync(file).mode & 0o777;
    const umask = process.umask(0);
    const { database, commands } = opened();
    commands.putIdentities(pageOf([1]), 1);
    process.umask(umask);
    assert.deepEqual([modeOf(path()), modeOf(`${path()}-journal`)], [0o600, 0o600]);
    assert.equal(database.pragma('application_id', { simple: true }), APPLICATION_ID);
    database.close();
    chmodSync(path(), 0o644);
    opened();
    assert.equal(modeOf(path()), 0o600);
  });

  it('provides the next process with its rows and the number of the last sync', () => {
    left();
    const { problem, commands } = opened();
    assert.equal(problem, undefined);
    assert.equal(commands.sizes().identities, 3);
    assert.equal(commands.countIdentities({ words: ['bulon1quart'] }), 1);
    assert.deepEqual(commands.savedSyncs(), {
      sync: 7,
      full: { identities: { fullAt: NOW - HOUR_MS, fits: true } },
    });
    assert.equal(commands.unconfirmedSince(), NOW - HOUR_MS);
  });

  const ownedBy = (store: string, deployment: string) => ({
    location: locationAt(path(), { owner: { store, deployment } }),
  });
  function raiseFormat(): undefined {
    const database = new Sqlite(path());
    database.pragma('user_version = 999');
    database.close();
  }
  /** `change` returns the options with which the file is opened afterwards. */
  const OUTDATED: [title: string, change: () => Parameters<typeof opened>[0]][] = [
    ['it belongs to another store', () => ownedBy('http://other', 'customer')],
    ['it belongs to another deployment', () => ownedBy('http://store', 'workforce')],
    ['no full sync has confirmed it for a day', () => ({ now: NOW + 23 * HOUR_MS })],
    ['its last full sync is in the future', () => ({ now: NOW - 2 * HOUR_MS })],
    ['the last worker lost it or no sync confirms it', () => ({ empty: true })],
    ['its format has another version', raiseFormat],
    ['it was truncated', () => truncateSync(path(), 4_096) as undefined],
  ];
  for (const [title, change] of OUTDATED)
    it(`is emptied and used again if ${title}`, () => {
      left();
      const { problem, commands } = opened(change());
      assert.equal(problem, undefined);
      assert.equal(commands.sizes().identities, 0);
      assert.deepEqual(commands.savedSyncs(), { sync: 0, full: {} });
      assert.equal(commands.unconfirmedSince(), undefined);
      assert.equal(commands.putIdentities(pageOf([1]), 1).fits, true);
    });

  const FOREIGN: [title: string, make: () => void, problem: RegExp][] = [
    ['a file of another program', () => writeFileSync(path(), 'x'.repeat(5_000)), /is not an index/],
    ['another SQLite database', () => new Sqlite(path()).exec('create table t (a)').close(), /is not an index/],
    ['a symbolic link', () => symlinkSync(inFolder('elsewhere'), path()), /names a symbolic link/],
    ['a pipe', () => spawnSync('mkfifo', [path()]), /names something else/],
    [
      'a file whose journal is a symbolic link',
      () => symlinkSync('/etc/hosts', `${path()}-journal`),
      /-journal.* symbolic link/,
    ],
  ];
  for (const [title, make, problem] of FOREIGN)
    it(`is neither opened nor changed if its path names ${title}`, () => {
      make();
      const isFile = statSync(path(), { throwIfNoEntry: false })?.isFile();
      const before = isFile ? readFileSync(path()) : undefined;
      assert.match(refusalOf(path(), undefined) ?? '', problem);
      assert.match(opened().problem ?? '', problem);
      if (before !== undefined) assert.deepEqual(readFileSync(path()), before);
    });

  it('is refused if it is the dashboard’s database or one of the files beside it, under any spelling or link', () => {
    const database = inFolder('dashboard.sqlite');
    const isRefused = (file: string, databasePath = database): boolean =>
      /database of DATABASE_URL/.test(refusalOf(file, databasePath) ?? '');
    for (const ending of ['', '-wal', '-shm', '-journal']) assert.ok(isRefused(database + ending), ending);
    assert.ok(isRefused(path(), `${path()}-journal`));
    assert.ok(isRefused(database, relative(process.cwd(), database)));
    symlinkSync(inFolder(), inFolder('link'));
    assert.ok(isRefused(inFolder('link', 'dashboard.sqlite')));
    left();
    linkSync(path(), database);
    assert.ok(isRefused(path()), 'by a hard link');
    renameSync(path(), inFolder('moved'));
    symlinkSync(inFolder('moved'), inFolder('sqlite'));
    assert.ok(isRefused(inFolder('moved'), inFolder('sqlite')), 'by a link of the database');
    assert.equal(isRefused(path()), false);
  });

  it('is intact after its process was killed in the middle of a write', async () => {
    left(600);
    // With so few pages in memory, a transaction writes to the file long before it ends.
    const location = locationAt(path(), {
      file: { path: path(), maxBytes: 32 * 1_048_576, cacheBytes: 16_384 },
    });
    const page = inFolder('page.json');
    writeFileSync(page, pageOf(range(300, 450), { name: 'Changed' }));
    const writer = startNode([
      '-e',
      `Promise.all([import('./server/search-index/file.ts'), import('./server/search-index/worker.ts')])
        .then(([{ openIndex }, { indexCommands }]) => {
          const { database } = openIndex(${JSON.stringify(location)}, { now: ${NOW}, empty: false });
          database.exec('begin');
          indexCommands(database).putIdentities(require('node:fs').readFileSync(${JSON.stringify(page)}, 'utf8'), 8);
          console.log('writing');
          setInterval(() => {}, 1e6);
        });`,
    ]);
    await writer.untilPrinted(/writing/);
    await writer.stop('SIGKILL');
    const { database, problem, commands } = opened();
    assert.equal(problem, undefined);
    assert.deepEqual([commands.sizes().identities, commands.countIdentities({ words: ['quartermain'] })], [600, 600]);
    assert.equal(database.pragma('integrity_check', { simple: true }), 'ok');
    database.exec("insert into texts (texts, rank) values ('integrity-check', 1)");
  });

  it('contains neither text of removed people nor old text of changed people, even in its journal', () => {
    const { database, commands } = opened();
    commands.putIdentities(pageOf(range(600)), 1);
    const [removed, changed, unchanged] = [0, 1, 2].map((rest) => range(600).filter((number) => number % 3 === rest));
    assert.ok(removed && changed && unchanged);
    commands.remove(
      'identities',
      removed.map((number) => idOf(number)),
    );
    commands.putIdentities(pageOf(changed, { email: 'changed@example.org', name: 'Changed' }), 2);
    const bytes = [path(), `${path()}-journal`]
      .map((file) => readFileSync(file, 'latin1'))
      .join('')
      .toLowerCase();
    const namesIn = (numbers: readonly number[]): string[] =>
      numbers.map((number) => nameOf(number).toLowerCase()).filter((name) => bytes.includes(name));
    assert.deepEqual(namesIn(removed), []);
    assert.deepEqual(namesIn(changed), []);
    assert.equal(namesIn(unchanged).length, 200);
    assert.equal(database.pragma('journal_mode', { simple: true }), 'truncate');
  });

  describeWithSmallDisk('on a full disk', () => {
    it('keeps its rows, reports that no more fit, and accepts rows again once there is room', async () => {
      const disk = await smallDisk(8);
      try {
        const location = locationAt(`${disk.path}/people.index`);
        const { problem, commands } = opened({ location });
        assert.equal(problem, undefined);
        commands.putIdentities(pageOf(range(500)), 1);
        commands.removeUnseen('identities', 1, 0);
        assert.equal(commands.saveFullSync('identities', { fullAt: NOW, fits: true }), true);
        disk.fill();
        assert.equal(commands.putIdentities(pageOf(range(2_000, 500)), 2).fits, false);
        commands.removeUnseen('identities', 3, 0);
        await disk.free();
        assert.equal(commands.saveFullSync('identities', { fullAt: NOW + HOUR_MS, fits: true }), false);
        assert.deepEqual(
          [commands.sizes().identities, commands.countIdentities({ words: ['quartermain'] })],
          [500, 500],
        );
        assert.equal(commands.putIdentities(pageOf(range(500)), 4).fits, true);
        commands.removeUnseen('identities', 4, 0);
        assert.equal(commands.saveFullSync('identities', { fullAt: NOW + HOUR_MS, fits: true }), true);
      } finally {
        closeAll();
        await disk.close();
      }
    });
  });
});

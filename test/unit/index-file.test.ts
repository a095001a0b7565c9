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
import { join, relative } from 'node:path';
import Sqlite from 'better-sqlite3';
import { APPLICATION_ID, refusalOf } from '../../server/search-index/file.ts';
import {
  HOUR_MS,
  type IndexFiles,
  idOf,
  indexFilesOfSuite,
  NOW,
  nameOf,
  pageOf,
  range,
} from '../support/index-files.ts';
import { startNode } from '../support/processes.ts';
import { describeWithSmallDisk, smallDisk } from '../support/small-disk.ts';

describe('the file of the index', () => {
  const own = indexFilesOfSuite();

  it('is readable by its owner alone, as are SQLite’s files beside it', () => {
    const modeOf = (file: string): number => statSync(file).mode & 0o777;
    const umask = process.umask(0);
    const { database, commands } = own.opened();
    commands.putIdentities(pageOf([1]), 1);
    process.umask(umask);
    assert.deepEqual([modeOf(own.path), modeOf(`${own.path}-journal`)], [0o600, 0o600]);
    assert.equal(database.pragma('application_id', { simple: true }), APPLICATION_ID);
    database.close();
    chmodSync(own.path, 0o644);
    own.opened();
    assert.equal(modeOf(own.path), 0o600);
  });

  it('provides the next process with its rows and the number of the last sync', () => {
    own.left();
    const { problem, commands } = own.opened();
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
    location: own.locationAt(own.path, { owner: { store, deployment } }),
  });
  function raiseFormat(): undefined {
    const database = new Sqlite(own.path);
    database.pragma('user_version = 999');
    database.close();
  }
  /** `change` returns the options with which the file is opened afterwards. */
  const OUTDATED: [title: string, change: () => Parameters<IndexFiles['opened']>[0]][] = [
    ['it belongs to another store', () => ownedBy('http://other', 'customer')],
    ['it belongs to another deployment', () => ownedBy('http://store', 'workforce')],
    ['no full sync has confirmed it for a day', () => ({ now: NOW + 23 * HOUR_MS })],
    ['its last full sync is in the future', () => ({ now: NOW - 2 * HOUR_MS })],
    ['the last worker lost it or no sync confirms it', () => ({ empty: true })],
    ['its format has another version', raiseFormat],
    ['it was truncated', () => truncateSync(own.path, 4_096) as undefined],
  ];
  for (const [title, change] of OUTDATED)
    it(`is emptied and used again if ${title}`, () => {
      own.left();
      const { problem, commands } = own.opened(change());
      assert.equal(problem, undefined);
      assert.equal(commands.sizes().identities, 0);
      assert.deepEqual(commands.savedSyncs(), { sync: 0, full: {} });
      assert.equal(commands.unconfirmedSince(), undefined);
      assert.equal(commands.putIdentities(pageOf([1]), 1).fits, true);
    });

  const FOREIGN: [title: string, make: () => void, problem: RegExp][] = [
    ['a file of another program', () => writeFileSync(own.path, 'x'.repeat(5_000)), /is not an index/],
    ['another SQLite database', () => new Sqlite(own.path).exec('create table t (a)').close(), /is not an index/],
    ['a symbolic link', () => symlinkSync(join(own.folder, 'elsewhere'), own.path), /names a symbolic link/],
    ['a pipe', () => spawnSync('mkfifo', [own.path]), /names something else/],
    [
      'a file whose journal is a symbolic link',
      () => symlinkSync('/etc/hosts', `${own.path}-journal`),
      /-journal.* symbolic link/,
    ],
  ];
  for (const [title, make, problem] of FOREIGN)
    it(`is neither opened nor changed if its path names ${title}`, () => {
      make();
      const isFile = statSync(own.path, { throwIfNoEntry: false })?.isFile();
      const before = isFile ? readFileSync(own.path) : undefined;
      assert.match(refusalOf(own.path, undefined) ?? '', problem);
      assert.match(own.opened().problem ?? '', problem);
      if (before !== undefined) assert.deepEqual(readFileSync(own.path), before);
    });

  it('is refused if it is the dashboard’s database or one of the files beside it, under any spelling or link', () => {
    const database = join(own.folder, 'dashboard.sqlite');
    const isRefused = (file: string, databasePath = database): boolean =>
      /database of DATABASE_URL/.test(refusalOf(file, databasePath) ?? '');
    for (const ending of ['', '-wal', '-shm', '-journal']) assert.ok(isRefused(database + ending), ending);
    assert.ok(isRefused(own.path, `${own.path}-journal`));
    assert.ok(isRefused(database, relative(process.cwd(), database)));
    symlinkSync(own.folder, join(own.folder, 'link'));
    assert.ok(isRefused(join(own.folder, 'link', 'dashboard.sqlite')));
    own.left();
    linkSync(own.path, database);
    assert.ok(isRefused(own.path), 'by a hard link');
    renameSync(own.path, join(own.folder, 'moved'));
    symlinkSync(join(own.folder, 'moved'), join(own.folder, 'own.sqlite'));
    assert.ok(isRefused(join(own.folder, 'moved'), join(own.folder, 'own.sqlite')), 'by a link of the database');
    assert.equal(isRefused(own.path), false);
  });

  it('is intact after its process was killed in the middle of a write', async () => {
    own.left(600);
    // With so few pages in memory, a transaction writes to the file long before it ends.
    const location = own.locationAt(own.path, {
      file: { path: own.path, maxBytes: 32 * 1_048_576, cacheBytes: 16_384 },
    });
    const page = join(own.folder, 'page.json');
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
    const { database, problem, commands } = own.opened();
    assert.equal(problem, undefined);
    assert.deepEqual([commands.sizes().identities, commands.countIdentities({ words: ['quartermain'] })], [600, 600]);
    assert.equal(database.pragma('integrity_check', { simple: true }), 'ok');
    database.exec("insert into texts (texts, rank) values ('integrity-check', 1)");
  });

  it('contains neither text of removed people nor old text of changed people, even in its journal', () => {
    const { database, commands } = own.opened();
    commands.putIdentities(pageOf(range(600)), 1);
    const [removed, changed, unchanged] = [0, 1, 2].map((rest) => range(600).filter((number) => number % 3 === rest));
    assert.ok(removed && changed && unchanged);
    commands.remove('identities', removed.map(idOf));
    commands.putIdentities(pageOf(changed, { email: 'changed@example.org', name: 'Changed' }), 2);
    const bytes = [own.path, `${own.path}-journal`]
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
        const location = own.locationAt(join(disk.path, 'people.index'));
        const { problem, commands } = own.opened({ location });
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
        own.closeAll();
        await disk.close();
      }
    });
  });
});

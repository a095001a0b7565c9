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
import { HOUR_MS, type IndexFiles, indexFilesOfSuite, NOW, pageOf } from '../support/index-files.ts';

describe('the file of the index', () => {
  const own = indexFilesOfSuite();
  const modeOf = (file: string): number => statSync(file).mode & 0o777;

  it('is readable by its owner alone, and so are SQLite’s files beside it', () => {
    const umask = process.umask(0);
    const { database, commands } = own.opened();
    commands.putPeople(pageOf([1]), 1);
    process.umask(umask);
    assert.deepEqual([modeOf(own.path), modeOf(`${own.path}-journal`)], [0o600, 0o600]);
    assert.equal(database.pragma('application_id', { simple: true }), APPLICATION_ID);
    database.close();
    chmodSync(own.path, 0o644);
    own.opened();
    assert.equal(modeOf(own.path), 0o600);
  });

  it('keeps its rows and the number of the last sync for the next process', () => {
    own.left();
    const { problem, commands } = own.opened();
    assert.equal(problem, undefined);
    assert.equal(commands.sizes().people, 3);
    assert.equal(commands.countPeople({ words: ['bulon1quart'] }), 1);
    assert.deepEqual(commands.savedSyncs(), {
      sync: 7,
      full: { people: { fullAt: NOW - HOUR_MS, fits: true } },
    });
    assert.equal(commands.unconfirmedSince(), NOW - HOUR_MS);
  });

  const OUTDATED: [title: string, change: () => Parameters<IndexFiles['opened']>[0] | undefined][] = [
    [
      'of another store',
      () => ({ location: own.locationAt(own.path, { owner: { store: 'http://other', deployment: 'customer' } }) }),
    ],
    [
      'of another deployment',
      () => ({ location: own.locationAt(own.path, { owner: { store: 'http://store', deployment: 'workforce' } }) }),
    ],
    ['that no sync has confirmed for a day', () => ({ now: NOW + 23 * HOUR_MS })],
    ['of a time that has not come', () => ({ now: NOW - 2 * HOUR_MS })],
    [
      'of another format',
      () => {
        const database = new Sqlite(own.path);
        database.pragma('user_version = 999');
        database.close();
        return undefined;
      },
    ],
    [
      'that was cut',
      () => {
        truncateSync(own.path, 4_096);
        return undefined;
      },
    ],
  ];
  for (const [title, change] of OUTDATED)
    it(`${title} is rebuilt`, () => {
      own.left();
      const { problem, commands } = own.opened(change());
      assert.equal(problem, undefined);
      assert.equal(commands.sizes().people, 0);
      assert.deepEqual(commands.savedSyncs(), { sync: 0, full: {} });
      assert.equal(commands.unconfirmedSince(), undefined);
      assert.equal(commands.putPeople(pageOf([1]), 1).fits, true);
    });

  describe('is refused, and not changed,', () => {
    const FOREIGN: [title: string, make: () => void, problem: RegExp][] = [
      ['as the file of another program', () => writeFileSync(own.path, 'x'.repeat(5_000)), /is not an index/],
      [
        'as another database of SQLite',
        () => new Sqlite(own.path).exec('create table t (a)').close(),
        /is not an index/,
      ],
      ['as a symbolic link', () => symlinkSync(join(own.folder, 'elsewhere'), own.path), /names a symbolic link/],
      ['as a pipe', () => spawnSync('mkfifo', [own.path]), /names something else/],
      [
        'with a link for its journal',
        () => symlinkSync('/etc/hosts', `${own.path}-journal`),
        /-journal.* symbolic link/,
      ],
    ];
    for (const [title, make, problem] of FOREIGN)
      it(title, () => {
        make();
        const isFile = statSync(own.path, { throwIfNoEntry: false })?.isFile();
        const before = isFile ? readFileSync(own.path) : undefined;
        assert.match(refusalOf(own.path, undefined) ?? '', problem);
        assert.match(own.opened().problem ?? '', problem);
        if (before !== undefined) assert.deepEqual(readFileSync(own.path), before);
      });

    it('as the dashboard’s own database, however it is spelled, and as SQLite’s files beside either', () => {
      const database = join(own.folder, 'dashboard.sqlite');
      const isRefused = (file: string, own = database): boolean =>
        /database of DATABASE_URL/.test(refusalOf(file, own) ?? '');
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
  });
});

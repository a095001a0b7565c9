import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative } from 'node:path';
import Sqlite from 'better-sqlite3';
import { refusalOf } from '../../server/identity-index/index-file.ts';
import { indexFilesOfSuite } from '../support/index-files.ts';

const NOBODY = 65_534;

/** The rights of a file do not bind root. */
function unlessRoot(act: () => void): void {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(NOBODY);
  try {
    act();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe('the file of the index', () => {
  const own = indexFilesOfSuite();

  describe('is refused, and left as it is,', () => {
    const FOREIGN: [title: string, make: () => void, problem: RegExp][] = [
      ['as the file of another program', () => writeFileSync(own.path, 'x'.repeat(5_000)), /is not an index/],
      ['as a short text', () => writeFileSync(own.path, 'hello'), /is not an index/],
      [
        'as another database of SQLite',
        () => new Sqlite(own.path).exec('create table t (a)').close(),
        /is not an index/,
      ],
      ['as a directory', () => mkdirSync(own.path), /names a directory/],
      ['as a symbolic link', () => symlinkSync(join(own.folder, 'elsewhere'), own.path), /names a symbolic link/],
      ['as a pipe', () => spawnSync('mkfifo', [own.path]), /names something else/],
      [
        'with a link for its journal',
        () => symlinkSync('/etc/hosts', `${own.path}-journal`),
        /-journal.* symbolic link/,
      ],
      [
        'where it may not be read',
        () => {
          own.left();
          chmodSync(own.folder, 0o755);
          chmodSync(own.path, 0o000);
        },
        /may not read and write/,
      ],
    ];
    // Root may write anywhere.
    if (process.getuid?.() !== 0)
      FOREIGN.push([
        'in a folder that may not be written',
        () => chmodSync(own.folder, 0o555),
        /may not read and write/,
      ]);
    for (const [title, make, problem] of FOREIGN)
      it(title, () => {
        make();
        const isFile = statSync(own.path, { throwIfNoEntry: false })?.isFile() && !/may not/.test(title);
        const before = isFile ? readFileSync(own.path) : undefined;
        const as = /may not/.test(title) ? unlessRoot : (act: () => void): void => act();
        as(() => {
          assert.match(refusalOf(own.path, undefined) ?? '', problem);
          const { problem: said } = own.opened();
          assert.match(said ?? '', problem);
        });
        if (before !== undefined) assert.deepEqual(readFileSync(own.path), before);
        chmodSync(own.folder, 0o700);
      });

    it('in a folder that is not there', () => {
      assert.match(refusalOf(join(own.folder, 'none', 'people.index'), undefined) ?? '', /folder that does not exist/);
      writeFileSync(own.path, '');
      assert.match(refusalOf(join(own.path, 'people.index'), undefined) ?? '', /folder that does not exist/);
    });

    it('as the dashboard’s own database, however it is spelled, and as what SQLite puts beside either', () => {
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

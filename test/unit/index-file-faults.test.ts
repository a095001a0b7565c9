import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { HOUR_MS, idOf, indexFilesOfSuite, NOW, nameOf, pageOf, range } from '../support/index-files.ts';
import { startNode } from '../support/processes.ts';
import { describeWithSmallDisk, smallDisk } from '../support/small-disk.ts';

describe('the file of the index', () => {
  const own = indexFilesOfSuite();

  it('is intact after its process was killed in the middle of a write', async () => {
    own.left(600);
    // With next to no pages in memory, a transaction writes to the file long before it ends.
    const location = own.locationAt(own.path, {
      file: { path: own.path, maxBytes: 32 * 1_048_576, cacheBytes: 16_384 },
    });
    const page = join(own.folder, 'page.json');
    writeFileSync(page, pageOf(range(300, 450), { name: 'Changed' }));
    const writer = startNode([
      '-e',
      `Promise.all([import('./server/search-index/file.ts'), import('./server/search-index/commands.ts')])
        .then(([{ openIndex }, { indexCommands }]) => {
          const { database } = openIndex(${JSON.stringify(location)}, { now: ${NOW}, empty: false });
          database.exec('begin');
          indexCommands(database).putPeople(require('node:fs').readFileSync(${JSON.stringify(page)}, 'utf8'), 8);
          console.log('writing');
          setInterval(() => {}, 1e6);
        });`,
    ]);
    await writer.printed(/writing/);
    await writer.stop('SIGKILL');
    const { database, problem, commands } = own.opened();
    assert.equal(problem, undefined);
    assert.deepEqual([commands.sizes().people, commands.countPeople({ words: ['quartermain'] })], [600, 600]);
    assert.equal(database.pragma('integrity_check', { simple: true }), 'ok');
    database.exec("insert into texts (texts, rank) values ('integrity-check', 1)");
  });

  it('contains no text of removed or changed people, and neither does its journal', () => {
    const { database, commands } = own.opened();
    commands.putPeople(pageOf(range(600)), 1);
    const removed = range(600).filter((number) => number % 3 === 0);
    commands.remove('people', removed.map(idOf));
    const changed = range(600).filter((number) => number % 3 === 1);
    commands.putPeople(pageOf(changed, { email: 'changed@example.org', name: 'Changed' }), 2);
    const bytes = [own.path, `${own.path}-journal`]
      .map((file) => readFileSync(file, 'latin1'))
      .join('')
      .toLowerCase();
    const traces = (numbers: readonly number[]): string[] =>
      numbers.map((number) => nameOf(number).toLowerCase()).filter((text) => bytes.includes(text));
    assert.deepEqual(traces(removed), []);
    assert.deepEqual(traces(changed), []);
    assert.equal(traces(range(600).filter((number) => number % 3 === 2)).length, 200);
    assert.equal(database.pragma('journal_mode', { simple: true }), 'truncate');
  });

  describeWithSmallDisk('on a full disk', () => {
    it('behaves as at its own limit, keeps its rows, and continues when there is room', async () => {
      const disk = await smallDisk(8);
      try {
        const location = own.locationAt(join(disk.path, 'people.index'));
        const { problem, commands } = own.opened({ location });
        assert.equal(problem, undefined);
        commands.putPeople(pageOf(range(500)), 1);
        commands.removeUnseen('people', 1, 0);
        assert.equal(commands.saveFullSync('people', { fullAt: NOW, fits: true }), true);
        disk.fill();
        assert.equal(commands.putPeople(pageOf(range(2_000, 500)), 2).fits, false);
        commands.removeUnseen('people', 3, 0);
        await disk.free();
        assert.equal(commands.saveFullSync('people', { fullAt: NOW + HOUR_MS, fits: true }), false);
        assert.deepEqual([commands.sizes().people, commands.countPeople({ words: ['quartermain'] })], [500, 500]);
        assert.equal(commands.putPeople(pageOf(range(500)), 4).fits, true);
        commands.removeUnseen('people', 4, 0);
        assert.equal(commands.saveFullSync('people', { fullAt: NOW + HOUR_MS, fits: true }), true);
      } finally {
        own.closeAll();
        await disk.close();
      }
    });
  });
});

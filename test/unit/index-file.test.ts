import assert from 'node:assert/strict';
import { chmodSync, closeSync, openSync, statSync, truncateSync, writeSync } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { APPLICATION_ID } from '../../server/identity-index/index-file.ts';
import { indexPlace } from '../../server/identity-index/index-place.ts';
import { memoryBudgets } from '../../server/process/memory.ts';
import { HOUR_MS, type IndexFiles, indexFilesOfSuite, NOW, pageOf, range } from '../support/index-files.ts';
import { PLENTY } from '../support/plenty.ts';

const MB = 1_048_576;

describe('the file of the index', () => {
  const own = indexFilesOfSuite();
  const modeOf = (file: string): number => statSync(file).mode & 0o777;

  it('is made for its owner alone, and so is what SQLite puts beside it', () => {
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

  it('keeps what was read for the next process, and the number of the last pass', () => {
    own.left();
    const { problem, commands } = own.opened();
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
    const { database, commands } = own.opened();
    commands.putPeople(pageOf([1]), 12);
    database.close();
    assert.equal(own.opened().commands.readings().pass, 12);
  });

  function overwrite(at: number, bytes: Buffer): undefined {
    const file = openSync(own.path, 'r+');
    writeSync(file, bytes, 0, bytes.length, at);
    closeSync(file);
  }
  function cut(bytes: number): undefined {
    truncateSync(own.path, bytes);
  }
  const OUTDATED: [title: string, change: () => Parameters<IndexFiles['opened']>[0] | undefined][] = [
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
      'of another store',
      () => ({ place: own.placeAt(own.path, { owner: { store: 'http://other', deployment: 'customer' } }) }),
    ],
    [
      'of another deployment',
      () => ({ place: own.placeAt(own.path, { owner: { store: 'http://store', deployment: 'workforce' } }) }),
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
      own.left();
      const { problem, commands } = own.opened(change());
      assert.equal(problem, undefined);
      assert.equal(commands.sizes().people, 0);
      assert.deepEqual(commands.readings(), { pass: 0, readings: {} });
      assert.equal(commands.unconfirmedSince(), undefined);
      assert.equal(commands.putPeople(pageOf([1]), 1).fits, true);
    });

  it('is built anew where it is larger than it may be now', () => {
    const { database, commands } = own.opened();
    for (let from = 0; from < 6_000; from += 250) commands.putPeople(pageOf(range(250, from)), 1);
    database.close();
    const place = own.placeAt(own.path, {}, 1);
    assert.ok(statSync(own.path).size > MB);
    assert.equal(own.opened({ place }).commands.sizes().people, 0);
  });

  it('is confirmed by every whole pass, also where not all had room', () => {
    const { commands } = own.opened();
    commands.putPeople(pageOf([1]), 1);
    assert.equal(commands.unconfirmedSince(), NOW);
    assert.equal(commands.keepReading('people', { wholeAt: NOW + HOUR_MS, fits: false }), false);
    assert.equal(commands.unconfirmedSince(), NOW + HOUR_MS);
    commands.keepReading('clients', { wholeAt: NOW + 2 * HOUR_MS, fits: true });
    assert.equal(commands.unconfirmedSince(), NOW + HOUR_MS);
  });

  it('has no eighth of the memory as its limit, as the index in memory has', () => {
    const setting = { maxMegabytes: 128, owner: { store: '', deployment: '' }, database: undefined, port: 1 };
    const inMemory = indexPlace({ ...setting, where: 'memory', memory: memoryBudgets(256 * MB) });
    assert.deepEqual([inMemory.memoryBytes, inMemory.file], [32 * MB, undefined]);
    assert.equal(indexPlace({ ...setting, where: 'memory', memory: memoryBudgets(4_096 * MB) }).memoryBytes, 128 * MB);
    assert.equal(
      indexPlace({ ...setting, where: { file: own.path }, memory: memoryBudgets(256 * MB) }).file?.maxBytes,
      128 * MB,
    );
    assert.equal(indexPlace({ ...setting, where: 'off', memory: PLENTY }).memoryBytes, 0);
  });
});

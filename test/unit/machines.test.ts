import assert from 'node:assert/strict';
import { basename } from 'node:path';
import { listed, read } from '../support/repository-files.ts';

/** Constants that bound what a process keeps in memory, or say for how long. */
const KEPT =
  /^(?:export )?const (?:\w*(?:CACHE_MS|CAPACITY|WAITING|A_MINUTE|IN_ALL_BYTES|ENTRIES_MAX|CONNECTIONS)|REMEMBER\w*|LIMITS = \{ places|TRANSACTIONS|ZONES_KEPT|POLL_MS|LOOK_AGAIN_MS)\b/m;
/** Looks for what is to be done, and keeps nothing. */
const KEEP_NOTHING = ['key-anchoring.ts'];

describe('the page on machines', () => {
  const files = listed('server').filter((path) => /\.ts$/.test(path) && !/^server\/(?:sandbox|launcher)\//.test(path));
  const own = read('docs/machines.md').split('\n## What each process has for itself\n')[1] ?? '';
  const rows = own
    .split('\n')
    .filter((line) => line.startsWith('| '))
    .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

  /** The files that a row names. */
  const sourcesOf = (row: readonly string[]): string[] =>
    [...row.join(' ').matchAll(/`([\w-]+\.ts)`/g)].flatMap(([, name]) =>
      files.filter((path) => basename(path) === name).map(read),
    );

  it('has the figures of the files that it names', () => {
    assert.ok(rows.length > 30);
    const wrong = rows.flatMap((row) => {
      const source = sourcesOf(row).join('\n').replaceAll('_', '');
      const figures = (row[2] ?? '').match(/\d[\d,]{2,}/g) ?? [];
      return figures
        .map((figure) => figure.replaceAll(',', ''))
        .filter((figure) => !new RegExp(`\\b${figure}\\b`).test(source))
        .map((figure) => `${row[0]}: ${figure}`);
    });
    assert.deepEqual(wrong, []);
  });

  it('names every file that bounds what a process keeps for itself', () => {
    const missing = files
      .filter((path) => KEPT.test(read(path)) && !KEEP_NOTHING.includes(basename(path)))
      .filter((path) => !own.includes(`\`${basename(path)}\``));
    assert.deepEqual(missing, []);
  });
});

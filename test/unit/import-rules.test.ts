import assert from 'node:assert/strict';
import { dirname, join } from 'node:path/posix';
import { listFiles, readText } from '../support/repository-files.ts';

/** What each folder or file may import besides itself. In names, `*` matches one path segment. */
type ImportRules = ReadonlyMap<string, readonly string[]>;

/** Parses rows `name -> names`; an indented line continues the row above. */
function importRules(text: string): ImportRules {
  const rows = text.matchAll(/^(\S+) +->(.*(?:\n +\S.*)*)/gm);
  return new Map([...rows].map(([, name = '', names = '']) => [name, names.split(/[\s,]+/).filter(Boolean)]));
}

// Every quoted relative path counts, whether in an import, type, re-export, require or worker. Dots alone (`'../'`) are a
// base folder, not an import.
const PATH = /(['"`])(\.{1,2}\/[^'"`\n]*[^'"`\n./][^'"`\n]*)\1/g;
const MODULE =
  /(?:\b(?:from|import|require|resolve)\s*\(?\s*|^@import\s+)(['"`])([@#/\w][@#/\w.:-]*)\1|(['"`])(node:\w+)\3/gm;

/** What a file imports: paths from the root, `node:` modules, and `packages` for any package. */
function importsOf(file: string, code: string): { specifier: string; target: string }[] {
  const paths = [...code.matchAll(PATH)].map(([, , specifier = '']) => ({
    specifier,
    target: join(dirname(file), specifier.replace(/\?.*$/, '')),
  }));
  const modules = [...code.matchAll(MODULE)].map(([, , named, , specifier = named ?? '']) => ({
    specifier,
    target: /^(?:@[\w-]+\/)?\w[\w./-]*$/.test(specifier) ? 'packages' : specifier,
  }));
  return [...paths, ...modules];
}

const patterns = new Map<string, RegExp>();

/** The part of a path that a name in the table stands for: the path or a folder above it. */
function matchedPart(name: string, path: string): string {
  const pattern = patterns.get(name) ?? new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}(?=/|$)`);
  patterns.set(name, pattern);
  return pattern.exec(path)?.[0] ?? '';
}

/** Describes the rule that an import breaks, if any. */
function brokenRule(rules: ImportRules, file: string, target: string): string | undefined {
  const rowsFor = (path: string) =>
    [...rules]
      .map(([name, allowed]) => ({ name, allowed, part: matchedPart(name, path) }))
      .filter(({ part }) => part !== '')
      .sort((a, b) => a.part.length - b.part.length);
  const rows = rowsFor(file);
  const ownRow = rows.at(-1);
  const targetPart = rowsFor(target).at(-1)?.part ?? '';
  if (ownRow?.part === targetPart) return undefined;
  const allowed = rows.flatMap((row) => row.allowed).map((name) => matchedPart(name, target));
  if (allowed.some((part) => part !== '' && part.length >= targetPart.length)) return undefined;
  return ownRow === undefined ? 'docs/architecture.md has no row for it' : `its row ${ownRow.name} does not allow that`;
}

describe('the table of imports in docs/architecture.md', () => {
  const rules = importRules(readText('docs/architecture.md'));
  const files = listFiles('server', 'client', 'shared');

  it('allows every import of server, client and shared', () => {
    const broken = files
      .filter((file) => /\.(?:tsx?|mjs|css|html)$/.test(file))
      .flatMap((file) =>
        importsOf(file, readText(file)).flatMap(({ specifier, target }) => {
          const rule = brokenRule(rules, file, target);
          return rule === undefined ? [] : [`${file} imports ${specifier}: ${rule}`];
        }),
      );
    assert.deepEqual(broken, []);
  });

  it('names every folder, and only files and folders that exist', () => {
    const names = [...new Set([...rules].flatMap(([name, allowed]) => [name, ...allowed]))];
    const missing = names.filter(
      (name) => !/:|^packages$/.test(name) && !files.some((file) => matchedPart(name, file) !== ''),
    );
    const folders = new Set(files.flatMap((file) => /^(?:server|client)\/[^/]+(?=\/)|^shared/.exec(file) ?? []));
    const unnamed = [...folders].filter((folder) => !names.some((name) => `${name}/`.startsWith(`${folder}/`)));
    assert.deepEqual([...missing, ...unnamed], []);
  });
});

import { dirname, join } from 'node:path/posix';

/** What each folder or file may import beside itself, by its name; `*` stands for any one name. */
export type ImportRules = ReadonlyMap<string, readonly string[]>;

/** Reads the rows `name -> names` of a text; an indented line goes on with the row before it. */
export function importRules(text: string): ImportRules {
  const rows = text.matchAll(/^(\S+) +->(.*(?:\n +\S.*)*)/gm);
  return new Map([...rows].map(([, name = '', names = '']) => [name, names.split(/[\s,]+/).filter(Boolean)]));
}

// Every quoted relative path counts, whatever reads it: import, type, re-export, require, worker. Quoted dots alone are a
// folder that paths are made from.
const PATH = /(['"`])(\.{1,2}\/[^'"`\n]*[^'"`\n./][^'"`\n]*)\1/g;
const MODULE =
  /(?:\b(?:from|import|require|resolve)\s*\(?\s*|^@import\s+)(['"`])([@#/\w][@#/\w.:-]*)\1|(['"`])(node:\w+)\3/gm;

/** What a file imports in any form: paths from the root, `node:fs`, and `packages` for those. */
export function importsOf(file: string, code: string): { specifier: string; target: string }[] {
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

/** The beginning of a path that a name stands for. */
const covered = (name: string, path: string): string | undefined =>
  new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}(?=/|$)`).exec(path)?.[0];

/** The rule that an import breaks, in words. */
export function brokenRule(rules: ImportRules, file: string, target: string): string | undefined {
  const rowsOf = (path: string) =>
    [...rules]
      .map(([name, allowed]) => ({ name, allowed, place: covered(name, path) ?? '' }))
      .filter(({ place }) => place !== '')
      .sort((one, other) => one.place.length - other.place.length);
  const rows = rowsOf(file);
  const own = rows.at(-1);
  const its = rowsOf(target).at(-1)?.place ?? '';
  if (own?.place === its) return undefined;
  const allowed = rows.flatMap((row) => row.allowed);
  if (allowed.some((name) => (covered(name, target)?.length ?? -1) >= its.length)) return undefined;
  return `the row ${own?.name ?? 'that it lacks'} of docs/architecture.md does not name it`;
}

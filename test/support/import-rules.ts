import { dirname, join } from 'node:path/posix';

/** What each folder or file may import besides itself. In names, `*` matches one path segment. */
export type ImportRules = ReadonlyMap<string, readonly string[]>;

/** Parses rows `name -> names`; an indented line continues the row above. */
export function importRules(text: string): ImportRules {
  const rows = text.matchAll(/^(\S+) +->(.*(?:\n +\S.*)*)/gm);
  return new Map([...rows].map(([, name = '', names = '']) => [name, names.split(/[\s,]+/).filter(Boolean)]));
}

// Every quoted relative path counts, whether in an import, type, re-export, require or worker. Dots alone (`'../'`) are a
// base folder, not an import.
const PATH = /(['"`])(\.{1,2}\/[^'"`\n]*[^'"`\n./][^'"`\n]*)\1/g;
const MODULE =
  /(?:\b(?:from|import|require|resolve)\s*\(?\s*|^@import\s+)(['"`])([@#/\w][@#/\w.:-]*)\1|(['"`])(node:\w+)\3/gm;

/** What a file imports: paths from the root, `node:` modules, and `packages` for any package. */
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

/** The prefix of a path that a name matches. */
const covered = (name: string, path: string): string | undefined =>
  new RegExp(`^${name.replaceAll('.', '\\.').replaceAll('*', '[^/]+')}(?=/|$)`).exec(path)?.[0];

/** Describes the rule that an import breaks, if any. */
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

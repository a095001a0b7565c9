import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A change of the product's behaviour, located by its code instead of its file. */
export interface SourceChange {
  /** Folders of sources, such as `server` or `client/features`. */
  in: string;
  /** Must match in exactly one file, unless `everywhere`. All matches are replaced. */
  find: RegExp;
  replace: string;
  everywhere?: boolean;
  /** Appended to the changed file. */
  append?: string;
}

/** A defect that a careless change could cause, and the tests that must then fail. */
export interface Fault {
  name: string;
  changes: readonly SourceChange[];
  /** Files of the first tier, unless their name says otherwise. */
  tests: readonly string[];
  /** Matches `full title: message` of at least one failure. */
  reason: RegExp;
}

/** @throws if `find` matches in no file or in several, so that the fault needs a new pattern */
export function applyChange(
  folder: string,
  { in: within, find, replace, everywhere = false, append = '' }: SourceChange,
): void {
  const files = globSync(`${within}/**/*.{ts,tsx}`, { cwd: folder }).filter((file) =>
    find.test(readFileSync(join(folder, file), 'utf8')),
  );
  if (files.length === 0 || (files.length > 1 && !everywhere))
    throw new Error(`could not be planted: ${find} is in ${files.length === 0 ? 'no file' : files.join(', ')}`);
  for (const file of files) {
    const path = join(folder, file);
    const text = readFileSync(path, 'utf8');
    const changed = text.replaceAll(new RegExp(find.source, `${find.flags.replace('g', '')}g`), replace);
    if (changed === text) throw new Error(`could not be planted: ${find} changes nothing`);
    writeFileSync(path, changed + append);
  }
}

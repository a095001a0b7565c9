import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A change of the product's behaviour, found by what the code says rather than where it is. */
export interface SourceChange {
  /** Folders of sources, such as `server` or `client/features`. */
  in: string;
  /** Must match in exactly one file, unless `everywhere`; all its matches there are replaced. */
  find: RegExp;
  replace: string;
  everywhere?: boolean;
  /** Appended to the file that was changed. */
  append?: string;
}

/** Something a careless change could do to the product, and the tests that must fail then. */
export interface Fault {
  name: string;
  changes: readonly SourceChange[];
  /** Files of the first tier, unless their name says otherwise. */
  tests: readonly string[];
  /** In the title or the message of at least one failure. */
  reason: RegExp;
}

/** @throws where there is no such code any more, or more of it than expected: then the fault is to be described anew */
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

import { createHash } from 'node:crypto';
import {
  type Dirent,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';

export interface Build {
  /** The folder that all paths are relative to. */
  root: string;
  /** Files and folders whose content decides whether the output is stale. */
  inputs: readonly string[];
  /** A folder, replaced as a whole. */
  output: string;
  /** Builds into the given empty folder; rejects on failure. */
  into: (folder: string) => Promise<void>;
}

const STAMP = '.stamp';

/**
 * Builds if the output does not match the current inputs. The new output is built next to the old one and swapped in by
 * a rename, so that a running service and concurrent launchers never see half of it.
 * @returns whether anything was built
 */
export async function buildWhenStale(build: Build, announce: () => void = () => {}): Promise<boolean> {
  const output = join(build.root, build.output);
  const fingerprint = fingerprintOf(build);
  if (stampOf(output) === fingerprint) return false;
  announce();
  const fresh = `${output}.new-${process.pid}`;
  const old = `${output}.old-${process.pid}`;
  try {
    rmSync(fresh, { recursive: true, force: true });
    mkdirSync(fresh, { recursive: true });
    await build.into(fresh);
    writeFileSync(join(fresh, STAMP), fingerprint);
    putInPlace(fresh, output, old);
  } finally {
    for (const leftover of [fresh, old]) rmSync(leftover, { recursive: true, force: true });
  }
  return true;
}

function putInPlace(fresh: string, output: string, old: string): void {
  for (let attempt = 1; ; attempt += 1) {
    try {
      rmSync(old, { recursive: true, force: true });
      if (existsSync(output)) renameSync(output, old);
      renameSync(fresh, output);
      return;
    } catch (error) {
      // Another process put its own build there between the two renames.
      if (attempt === 10) throw error;
    }
  }
}

function stampOf(output: string): string | undefined {
  try {
    return readFileSync(join(output, STAMP), 'utf8');
  } catch {
    return undefined;
  }
}

function fingerprintOf({ root, inputs }: Build): string {
  const hash = createHash('sha256');
  for (const input of inputs)
    for (const file of filesUnder(root, input))
      hash
        .update(`${file}\0`)
        .update(readFileSync(join(root, file)))
        .update('\0');
  return hash.digest('hex');
}

function filesUnder(root: string, path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path];
  return readdirSync(join(root, path), { withFileTypes: true })
    .sort((a: Dirent, b: Dirent) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => filesUnder(root, `${path}/${entry.name}`));
}

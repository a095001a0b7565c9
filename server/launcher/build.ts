import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
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
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const FOLDER = 'dist/settings-reader';
/** Where tsc puts its declarations, which import nothing. */
const DECLARATIONS = 'dist/server/settings-reader/settings-reader.d.ts';
const OWN_DRIVERS = { 'better-sqlite3': '>=13' };

/**
 * Makes a package of the bundled settings reader: what describes it, and its types for `import` and `require`.
 * @param bundle writes the two files of code
 */
export async function buildSettingsReader(root: string, bundle: () => Promise<void>): Promise<void> {
  rmSync(join(root, FOLDER), { recursive: true, force: true });
  await bundle();
  for (const name of ['settings-reader.d.ts', 'settings-reader.d.cts'])
    copyFileSync(join(root, DECLARATIONS), join(root, FOLDER, name));
  copyFileSync(join(root, 'server/settings-reader/package-readme.md'), join(root, FOLDER, 'README.md'));
  const { version, engines, dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const description = {
    name: 'dashboard-admin-settings-reader',
    version,
    description: 'Reads the settings of Dashboard Admin from its database',
    type: 'module',
    engines,
    exports: {
      '.': {
        import: { types: './settings-reader.d.ts', default: './settings-reader.js' },
        require: { types: './settings-reader.d.cts', default: './settings-reader.cjs' },
      },
    },
    dependencies: { mysql2: `^${dependencies.mysql2}` },
    peerDependencies: OWN_DRIVERS,
    peerDependenciesMeta: { 'better-sqlite3': { optional: true } },
  };
  writeFileSync(join(root, FOLDER, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
}

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

const root = fileURLToPath(new URL('../..', import.meta.url));
const vite = 'node_modules/vite/bin/vite.js';
const tsc = 'node_modules/typescript/bin/tsc';

const client: Build = {
  root,
  inputs: ['client', 'shared', 'vite.config.ts', 'tsconfig.base.json', 'package-lock.json'],
  output: 'dist/client',
  into: (folder) =>
    node(vite, 'build', '--outDir', relative(join(root, 'client'), folder), '--emptyOutDir', '--logLevel', 'warn'),
};

/** Builds the app with Vite into dist/client. @returns whether it was stale and rebuilt */
export const buildClient = (announce?: () => void): Promise<boolean> => buildWhenStale(client, announce);

/** Type-checks the service and bundles it into dist/server; beside it, the package of the settings reader. */
export async function buildServer(): Promise<void> {
  for (const folder of ['dist/server', 'dist/shared']) rmSync(join(root, folder), { recursive: true, force: true });
  await node(tsc, '-p', 'server');
  await node(vite, 'build', '--config', 'server/vite.config.ts', '--logLevel', 'warn');
  await buildSettingsReader(root, () =>
    node(vite, 'build', '--config', 'server/settings-reader/vite.config.ts', '--logLevel', 'warn'),
  );
}

/** Runs a script of node_modules in a child process; rejects if it fails. */
function node(script: string, ...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    // Through a pipe: on a terminal, Vite draws its progress.
    const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio: ['inherit', 'pipe', 'inherit'] });
    child.stdout.pipe(process.stdout);
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${script} exited with ${code}`))));
  });
}

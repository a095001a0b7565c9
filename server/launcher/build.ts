// `npm run build`: builds everything that `node dist/server/main.js` needs. `npm start` builds only the app.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, globSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeNotices } from './notices.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const vite = 'node_modules/vite/bin/vite.js';
const APP_SOURCES = ['client/**', 'shared/**', 'vite.config.ts', 'tsconfig.base.json', 'package-lock.json'];

/**
 * Builds the app into dist/client if its sources have changed. Builds next to the old version and replaces it by a
 * rename, so that a running service and concurrent launchers never see an incomplete build.
 */
export async function buildClient(announce: () => void = () => {}): Promise<void> {
  const output = join(root, 'dist/client');
  const stamp = join(output, '.stamp');
  const fingerprint = fingerprintOf(APP_SOURCES);
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === fingerprint) return;
  announce();
  const fresh = `${output}.new-${process.pid}`;
  const old = `${output}.old-${process.pid}`;
  try {
    const outDir = relative(join(root, 'client'), fresh);
    await node(vite, 'build', '--outDir', outDir, '--emptyOutDir', '--logLevel', 'warn');
    writeFileSync(join(fresh, '.stamp'), fingerprint);
    for (let attempt = 1; existsSync(fresh); attempt += 1)
      try {
        rmSync(old, { recursive: true, force: true });
        if (existsSync(output)) renameSync(output, old);
        renameSync(fresh, output);
      } catch (error) {
        // Another process put its own build there between the two renames.
        if (attempt === 10) throw error;
      }
  } finally {
    for (const leftover of [fresh, old]) rmSync(leftover, { recursive: true, force: true });
  }
}

function fingerprintOf(patterns: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of globSync(patterns, { cwd: root }).sort())
    if (statSync(join(root, file)).isFile()) hash.update(`${file}\0${readFileSync(join(root, file), 'base64')}\0`);
  return hash.digest('hex');
}

/** Type-checks the service and bundles it into dist/server; beside it, the package of the settings reader. */
async function buildServer(): Promise<void> {
  for (const folder of ['server', 'settings-reader'])
    rmSync(join(root, 'dist', folder), { recursive: true, force: true });
  await node('node_modules/typescript/bin/tsc', '--build', 'server');
  for (const config of ['server/vite.config.ts', 'server/settings-reader/vite.config.ts'])
    await node(vite, 'build', '--config', config, '--logLevel', 'warn');
  describeSettingsReader();
}

/** Makes the bundled settings reader a package by adding its description and its types for `import` and `require`. */
function describeSettingsReader(): void {
  const folder = join(root, 'dist/settings-reader');
  // The declarations that tsc writes, which import nothing.
  const types = join(root, 'dist/types/server/settings-reader/settings-reader.d.ts');
  for (const name of ['settings-reader.d.ts', 'settings-reader.d.cts']) copyFileSync(types, join(folder, name));
  copyFileSync(join(root, 'server/settings-reader/package-readme.md'), join(folder, 'README.md'));
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
    peerDependencies: { 'better-sqlite3': '>=13' },
    peerDependenciesMeta: { 'better-sqlite3': { optional: true } },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(description, null, 2)}\n`);
}

function node(script: string, ...args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], {
      cwd: root,
      // A shell's NODE_ENV is meant for the service; Vite would bundle React's development code with it.
      env: { ...process.env, NODE_ENV: 'production' },
      // Uses a pipe for the output, since Vite draws its progress on a terminal.
      stdio: ['inherit', 'pipe', 'inherit'],
    });
    child.stdout.pipe(process.stdout);
    child.once('error', reject);
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${script} exited with ${code}`))));
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await buildClient();
  await buildServer();
  writeNotices();
}

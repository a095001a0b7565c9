import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildSettingsReader } from './build-settings-reader.ts';
import { type Build, buildWhenStale } from './stamped-build.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
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

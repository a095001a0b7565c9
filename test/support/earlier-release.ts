import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * Installs the service of 0.1.0 in a temporary folder, which goes with this process, with a page that is empty. It takes
 * its packages from the repository: their releases are those it had.
 * @returns Node's arguments that start it
 */
export function earlierRelease(): string[] {
  const directory = mkdtempSync(join(tmpdir(), 'release-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  const client = join(directory, 'dist', 'client');
  mkdirSync(client, { recursive: true });
  writeFileSync(join(client, 'index.html'), '<!doctype html><title>0.1.0</title>');
  writeFileSync(join(client, 'first-files.json'), '{}');
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ type: 'module', version: '0.1.0' }));
  symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
  const main = join(directory, 'main.js');
  const bundle = gunzipSync(readFileSync(join(root, 'test/fixtures/releases/0.1.0.mjs.gz'))).toString();
  // It was installed with two releases of the driver, this one by another name.
  writeFileSync(main, bundle.replaceAll('better-sqlite3-13', 'better-sqlite3'));
  return [main];
}

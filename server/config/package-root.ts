import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Finds what is installed with the service, both from the sources and from `dist/`.
 * @throws if no package.json is found in a parent folder
 */
export function packageRoot(): { version: string; nodeRange: string; clientDirectory: string } {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(directory, 'package.json'))) {
    if (directory === dirname(directory)) throw new Error('package.json was not found above the service');
    directory = dirname(directory);
  }
  const { version, engines } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  return { version, nodeRange: engines.node, clientDirectory: join(directory, 'dist', 'client') };
}

import { realpathSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname } from 'node:path';

/**
 * Where root puts the files of programs that it starts as another user, who cannot enter private folders; undefined if all
 * folders for temporary files are private.
 */
export const SHARED_FOLDER = [tmpdir(), '/tmp', '/var/tmp'].find(isOpenToAll);

function isOpenToAll(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined || (stats.mode & 0o001) === 0) return false;
  const parent = dirname(realpathSync(path));
  return parent === path || isOpenToAll(parent);
}

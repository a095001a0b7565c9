import { spawnSync } from 'node:child_process';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeWhere } from './tools.ts';

/** A separate file system that can be filled to the last byte. */
export interface SmallDisk {
  path: string;
  fill(): void;
  /** Frees the space that `fill` took. */
  free(): Promise<void>;
  close(): Promise<void>;
}

/**
 * `describe` for a suite that needs a small disk. Without the right to mount one, a user could mount it in a namespace, but
 * tests could not reach it: SQLite and MariaDB resolve the link in /proc that leads into the namespace.
 */
export function describeWithSmallDisk(title: string, suite: () => void): void {
  const trial = ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()];
  describeWhere(spawnSync('unshare', trial).status === 0, 'the right to mount a file system', title, suite);
}

/** A tmpfs of this size. */
export async function smallDisk(mebibytes: number): Promise<SmallDisk> {
  const path = await mkdtemp(join(tmpdir(), 'small-disk-'));
  const { status, stderr } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', path], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`no file system can be mounted: ${stderr}`);
  const ballast = join(path, 'ballast');
  return {
    path,
    fill() {
      const file = openSync(ballast, 'a');
      for (let bytes = 1 << 20; bytes >= 1; bytes >>= 1) while (appended(file, bytes));
      closeSync(file);
    },
    free: () => rm(ballast, { force: true }),
    async close() {
      // Lazily, since a server that has ended may not have closed its last file yet.
      spawnSync('umount', ['--lazy', path]);
      await rm(path, { recursive: true, force: true });
    },
  };
}

function appended(file: number, bytes: number): boolean {
  try {
    return writeSync(file, Buffer.alloc(bytes, 1)) === bytes;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOSPC') return false;
    throw error;
  }
}

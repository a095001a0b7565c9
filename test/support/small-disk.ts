import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A file system of its own that can be filled to the last byte. */
export interface SmallDisk {
  path: string;
  fill(): void;
  /** Gives back what `fill` took. */
  free(): Promise<void>;
  close(): Promise<void>;
}

/** A tmpfs of this size; where this process may not mount one, in a namespace of another that may. */
export async function smallDisk(mebibytes: number): Promise<SmallDisk> {
  const directory = await mkdtemp(join(tmpdir(), 'small-disk-'));
  const mount = ['-t', 'tmpfs', '-o', `size=${mebibytes}m,mode=700`, 'tmpfs', directory];
  const mounted = spawnSync('mount', mount).status === 0;
  const holder = mounted ? undefined : await mountElsewhere(mount);
  const path = holder === undefined ? directory : `/proc/${holder.pid}/root${directory}`;
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
      // Lazily: an ended server may still let go of its last file.
      if (mounted) spawnSync('umount', ['--lazy', directory]);
      if (holder !== undefined) {
        const ended = once(holder, 'exit');
        holder.kill('SIGKILL');
        await ended;
      }
      await rm(directory, { recursive: true, force: true });
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

/** What it mounted there is reached through /proc. */
async function mountElsewhere(mount: readonly string[]): Promise<ChildProcess> {
  const script = 'mount "$@" && echo mounted && exec sleep 600';
  const holder = spawn('unshare', ['--map-root-user', '--mount', 'sh', '-c', script, 'sh', ...mount], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said = await Promise.race([once(holder.stdout as NodeJS.ReadableStream, 'data'), once(holder, 'exit')]);
  if (!String(said[0]).includes('mounted')) throw new Error('no file system can be mounted, not even in a namespace');
  return holder;
}

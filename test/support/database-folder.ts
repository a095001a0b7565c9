import { accessSync, constants, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';

const MEMORY = '/dev/shm';
const ENOUGH_BYTES = 1_000_000_000;

/**
 * Where databases of tests are made: in memory where there is room, since most of a test's time on one is the disk's. They
 * need to outlive a killed process, not a power cut.
 */
export const DATABASE_FOLDER = hasRoomInMemory() ? MEMORY : tmpdir();

function hasRoomInMemory(): boolean {
  try {
    accessSync(MEMORY, constants.W_OK);
    const { bavail, bsize } = statfsSync(MEMORY);
    return bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}

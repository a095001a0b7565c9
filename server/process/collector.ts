import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** How much may be left behind, in so many times what passes between two collections. */
const LEFT_BEHIND = 4;

/**
 * V8 sees how small the objects of streamed chunks are, not their bytes outside of its heap: on its own it collects them
 * once 64 MiB are left behind.
 * @param everyBytes how much may pass between two collections
 * @returns to be told of bytes that have passed through
 */
export function collector(
  everyBytes: number,
  collect: (minor: boolean) => void = ownCollect(),
): (bytes: number) => void {
  let passed = 0;
  let sinceMajor = 0;
  return (bytes) => {
    passed += bytes;
    if (passed < everyBytes) return;
    sinceMajor += passed;
    passed = 0;
    collect(true);
    // Chunks of slow streams outlive a minor collection.
    if (sinceMajor < 2 * LEFT_BEHIND * everyBytes) return;
    if (getHeapStatistics().external_memory < LEFT_BEHIND * everyBytes) return;
    sinceMajor = 0;
    collect(false);
  };
}

/** What `--expose-gc` gives, without the flag: a context that is made after it is set has the function. */
function ownCollect(): (minor: boolean) => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as NodeJS.GCFunction;
  setFlagsFromString('--no-expose-gc');
  return (minor) => void (minor ? gc({ type: 'minor' }) : gc());
}

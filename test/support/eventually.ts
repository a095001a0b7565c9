import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

const BETWEEN_READINGS_MS = 25;

/**
 * What a page shows follows an act when it can, not at once: reads until the reading is as expected. What must never be
 * there is read at once, as soon as its surroundings stand: it could be there for a moment.
 * @param read is repeated, and so must change nothing
 * @param expected a value, compared in depth, or what a text must match
 * @param patienceMs in milliseconds, for what never comes: beside many other processes, a server takes half a minute
 * @throws the last reading's AssertionError, or what reading threw
 */
export async function eventually(
  read: () => unknown,
  expected: unknown,
  message?: string,
  patienceMs = 60_000,
): Promise<void> {
  const end = performance.now() + patienceMs;
  for (let readings = 1; ; readings += 1) {
    try {
      const reading = await read();
      if (expected instanceof RegExp) assert.match(String(reading ?? ''), expected, message);
      else assert.deepEqual(reading, expected, message);
      return;
    } catch (error) {
      // A machine that stood still has let nothing else happen either.
      if (performance.now() > end && readings > patienceMs / BETWEEN_READINGS_MS / 4) throw error;
    }
    await setTimeout(BETWEEN_READINGS_MS);
  }
}

/** The same for a condition. */
export const until = (condition: () => boolean | Promise<boolean>): Promise<void> => eventually(condition, true);

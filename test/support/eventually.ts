import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';

const INTERVAL_MS = 25;

/**
 * Repeats `read` until it returns what is expected, because a page or a service takes its time. Do not use it for what must
 * never be there: that is read once, as soon as its surroundings are there, since it might be there for a moment only.
 * @param read must change nothing
 * @param expected a value, compared deeply, or a pattern for a text
 * @param patienceMs long by default: beside many other processes, a server takes half a minute to respond
 * @throws the AssertionError of the last attempt, or what `read` threw
 */
export async function eventually(
  read: () => unknown,
  expected: unknown,
  message?: string,
  patienceMs = 60_000,
): Promise<void> {
  const end = performance.now() + patienceMs;
  for (let attempts = 1; ; attempts += 1) {
    try {
      const value = await read();
      if (expected instanceof RegExp) assert.match(String(value ?? ''), expected, message);
      else assert.deepEqual(value, expected, message);
      return;
    } catch (error) {
      // Attempts count, too: while the machine was suspended, time passed but nothing happened.
      if (performance.now() > end && attempts > patienceMs / INTERVAL_MS / 4) throw error;
    }
    await setTimeout(INTERVAL_MS);
  }
}

/** Waits until a condition is true. */
export const until = (condition: () => boolean | Promise<boolean>): Promise<void> => eventually(condition, true);

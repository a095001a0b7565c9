import { setTimeout as sleep } from 'node:timers/promises';
import { isUnavailable } from './unavailable.ts';

const ATTEMPTS = 6;
const FIRST_PAUSE_MS = 50;

/**
 * Repeats what the database could not do now, such as a transaction that met another one.
 * @param work may be done again after it failed half-way
 * @throws the error of the sixth attempt, and at once what no repetition mends
 */
export async function persistently<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (attempt === ATTEMPTS || !isUnavailable(error)) throw error;
    }
    await sleep(FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random()));
  }
}

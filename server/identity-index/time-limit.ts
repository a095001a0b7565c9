import type { IndexDatabase } from './index-database.ts';

/** A question took longer than it may. */
export class TooLong extends Error {}

export interface TimeLimit {
  /**
   * Asks a question whose SQL has the condition `in_time(number)`.
   * @param until on the clock that `timeLimit` was given
   * @throws TooLong
   */
  within<T>(until: number, ask: () => T): T;
}

/** SQLite cannot be interrupted otherwise: the condition looks at the clock for some of the rows that are visited. */
export function timeLimit(database: IndexDatabase, now: () => number): TimeLimit {
  let deadline = Number.POSITIVE_INFINITY;
  let rows = 0;
  database.function('in_time', { deterministic: false }, (_number) => {
    rows += 1;
    if (rows % 1_024 === 0 && now() > deadline) throw new TooLong();
    return 1;
  });
  return {
    within(until, ask) {
      deadline = until;
      rows = 0;
      try {
        return ask();
      } finally {
        deadline = Number.POSITIVE_INFINITY;
      }
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';

/** No attempt begins later than this. */
const AGAIN_WITHIN_MS = 6_000;
/** The same for each attempt: if waits grew, whoever has lost most would be starved by those who come later. */
const WAIT_MS = 25;

const CODES = new Set([
  // InnoDB chose this transaction to end a deadlock, or another node of a Galera cluster committed first.
  'ER_LOCK_DEADLOCK',
  // The same, decided by MySQL's group replication.
  'ER_TRANSACTION_ROLLBACK_DURING_COMMIT',
]);

/** Whether an error, or one that caused it, says that the server rolled the transaction back in favour of another. */
export const isDeadlock = (error: unknown): boolean =>
  error instanceof Error && (CODES.has(String((error as { code?: unknown }).code)) || isDeadlock(error.cause));

export interface DeadlockCounts {
  /** Transactions that were run again. */
  retried: number;
  /** Transactions that never ended. */
  givenUp: number;
}

/** Of this process. */
export const deadlockCounts: DeadlockCounts = { retried: 0, givenUp: 0 };

/**
 * Runs a transaction again if the server rolled it back in favour of another one, which is certain: nothing of it is
 * stored. Any other failure, such as a connection lost at COMMIT, may have stored it, and is final.
 * @param attempt the whole transaction, from its turn to the answer to COMMIT
 * @throws the last deadlock if the others keep winning for six seconds
 */
export async function retryDeadlocks<T>(attempt: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + AGAIN_WITHIN_MS;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const waitMs = Math.random() * WAIT_MS;
      if (!isDeadlock(error)) throw error;
      if (performance.now() + waitMs > deadline) {
        deadlockCounts.givenUp += 1;
        throw error;
      }
      deadlockCounts.retried += 1;
      await sleep(waitMs);
    }
  }
}

import { fairQueue, type QueueLimits } from '../http/fair-queue.ts';

/** Too many questions wait, or this one has waited too long. */
export class IndexBusy extends Error {}

/** The worker has one question at a time, so that none waits for more than one of each other session. */
const LIMITS: QueueLimits = { places: 1, waiting: 256, waitMs: 8_000 };

/** Asks when it is the session's turn. @throws IndexBusy */
export type InTurn = <T>(session: string, ask: () => Promise<T>) => Promise<T>;

export function questionsInTurn(limits = LIMITS): InTurn {
  const queue = fairQueue(limits);
  return async (session, ask) => {
    let leave = (): void => {};
    try {
      await new Promise<void>((resolve, reject) => {
        leave = queue.claim(session, { granted: resolve, refused: () => reject(new IndexBusy()) });
      });
      return await ask();
    } finally {
      leave();
    }
  };
}

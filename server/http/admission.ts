import type { Request, RequestHandler, Response } from 'express';
import { ApiError } from './api-error.ts';
import { fairQueue, type QueueLimits } from './fair-queue.ts';

/**
 * Lets only so many requests on at once; others wait fairly, with their bodies unread. One that waits too long or in vain
 * gets 503 `service_unavailable`.
 * @param keyOf the key that a request counts for
 */
export function admission(limits: QueueLimits, keyOf: (req: Request, res: Response) => string): RequestHandler {
  const queue = fairQueue(limits);
  return (req, res, next) => {
    // The caller left while the session was verified: nothing would give the place up.
    if (res.destroyed) return;
    let giveUp = (): void => {};
    res.once('close', () => giveUp());
    giveUp = queue.claim(keyOf(req, res), {
      granted: () => next(),
      refused: () => next(new ApiError('service_unavailable', { headers: { 'Retry-After': '1' } })),
    });
  };
}

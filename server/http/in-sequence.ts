import type { RequestHandler } from 'express';

/**
 * One handler that calls others in turn, as Express would: `next` leads to the next one, an error past all of them.
 * Passed to `app.use` separately, each would be matched against every request; in a router, each would be matched again.
 */
export const inSequence =
  (...handlers: RequestHandler[]): RequestHandler =>
  (req, res, next) => {
    let index = 0;
    const proceed = (error?: unknown): void => {
      const handler = error === undefined ? handlers[index] : undefined;
      if (handler === undefined) {
        next(error);
        return;
      }
      index += 1;
      try {
        const result: unknown = handler(req, res, proceed);
        if (result instanceof Promise) result.catch(next);
      } catch (thrown) {
        next(thrown);
      }
    };
    proceed();
  };

import type { RequestHandler } from 'express';

/**
 * Handlers as one: each runs when the one before calls `next()`. For those that stand together on every path, where
 * Express would match and time each by itself.
 */
export function inOrder(...handlers: RequestHandler[]): RequestHandler {
  return (req, res, next) => {
    const run = (index: number): void => {
      const handler = handlers[index];
      if (handler === undefined) next();
      else void handler(req, res, (error?: unknown) => (error === undefined ? run(index + 1) : next(error)));
    };
    run(0);
  };
}

import type { Request, Response } from 'express';
import { ApiError } from '../../http/errors.ts';
import { identityIn } from './paths.ts';

/** How many writes may wait for one identity, and for all of them together. */
const MAX_WAITING = { forOne: 64, inAll: 1_024 };
const METHODS: ReadonlySet<string> = new Set(['PATCH', 'PUT', 'DELETE']);

export type WriteTurns = ReturnType<typeof writeTurns>;

/**
 * Sends writes to the same identity one after another: Kratos reads, changes and writes the whole identity without a
 * lock, so that one of two writes at the same time is lost. Shared by all prefixes that lead to identities.
 * @param maxMs how long a write waits for its turn, and how long a turn lasts, at most
 */
export function writeTurns(maxMs: number) {
  /** For each identity the write that has its turn, and those that wait, in order. */
  const queues = new Map<string, (() => void)[]>();
  let waiting = 0;

  /**
   * Waits with the body unread, and gives up if the client disconnects. Other requests do not wait.
   * @param onTurn called with a function that ends the turn; at once if there is nothing to wait for
   * @param onRefused called with a 503 if too many are waiting, or it has waited too long
   */
  return (
    req: Request,
    res: Response,
    onTurn: (end: () => void) => void,
    onRefused: (error: ApiError) => void,
  ): void => {
    const id = METHODS.has(req.method) ? identityWritten(req.url) : undefined;
    if (id === undefined) {
      onTurn(() => {});
      return;
    }
    const queue = queues.get(id) ?? [];
    let timer: NodeJS.Timeout | undefined;
    const start = (): void => {
      clearTimeout(timer);
      timer = setTimeout(end, maxMs);
      onTurn(end);
    };
    const end = (): void => {
      clearTimeout(timer);
      const index = queue.indexOf(start);
      if (index < 0) return;
      queue.splice(index, 1);
      if (queue.length === 0) queues.delete(id);
      else waiting -= 1;
      if (index === 0) queue[0]?.();
    };
    const refuse = (): void => {
      end();
      onRefused(new ApiError('service_unavailable', { headers: { 'Retry-After': '1' } }));
    };
    if (res.destroyed) return;
    if (queue.length > MAX_WAITING.forOne || (queue.length > 0 && waiting >= MAX_WAITING.inAll)) {
      refuse();
      return;
    }
    queue.push(start);
    queues.set(id, queue);
    res.once('close', end);
    if (queue.length === 1) start();
    else {
      waiting += 1;
      timer = setTimeout(refuse, maxMs);
    }
  };
}

/** The identity whose record a request changes: itself, or one of its credentials. */
function identityWritten(target: string): string | undefined {
  const named = identityIn(target);
  if (named === undefined || named === 'unclear') return undefined;
  const isWritten = named.below.length === 0 || named.below[0] === 'credentials';
  return isWritten && named.digits.length === 32 ? named.digits : undefined;
}

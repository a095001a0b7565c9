import type { Request, Response } from 'express';
import { ApiError } from '../../http/errors.ts';
import { identityIn } from './paths.ts';

/** How many writes may wait for one identity, and for all of them together. */
const MAX_WAITING = { forOne: 64, inAll: 1_024 };
const METHODS: ReadonlySet<string> = new Set(['PATCH', 'PUT', 'DELETE']);

export type WriteTurns = ReturnType<typeof writeTurns>;

/** A write to an identity. */
interface Write {
  res: Response;
  /** Called with a function that ends the turn; at once if there is nothing to wait for. */
  onTurn(end: () => void): void;
  /** Called with a 503 if too many are waiting, or it has waited too long. */
  onRefused(error: ApiError): void;
}

/**
 * Sends writes to the same identity one after another: Kratos reads, changes and writes the whole identity without a
 * lock, so that one of two writes at the same time is lost. Shared by all prefixes that lead to identities.
 * @param maxMs how long a write waits for its turn, and how long a turn lasts, at most
 */
export function writeTurns(maxMs: number) {
  /** For each identity that is being written, the writes that wait, in order. */
  const queues = new Map<string, (() => void)[]>();
  let waiting = 0;

  function begin(id: string, { res, onTurn }: Write): void {
    let hasEnded = false;
    const end = (): void => {
      clearTimeout(timer);
      if (hasEnded) return;
      hasEnded = true;
      const next = queues.get(id)?.shift();
      if (next === undefined) queues.delete(id);
      else next();
    };
    const timer = setTimeout(end, maxMs);
    res.once('close', end);
    onTurn(end);
  }

  function wait(id: string, queue: (() => void)[], write: Write): void {
    waiting += 1;
    const start = (): void => {
      clearTimeout(timer);
      write.res.off('close', leave);
      waiting -= 1;
      begin(id, write);
    };
    const leave = (): void => {
      clearTimeout(timer);
      waiting -= 1;
      queue.splice(queue.indexOf(start), 1);
    };
    const timer = setTimeout(() => {
      write.res.off('close', leave);
      leave();
      refuse(write);
    }, maxMs);
    write.res.once('close', leave);
    queue.push(start);
  }

  function refuse({ onRefused }: Write): void {
    onRefused(new ApiError('service_unavailable', { headers: { 'Retry-After': '1' } }));
  }

  /** Waits with the body unread, and gives up if the client disconnects. Other requests do not wait. */
  return (req: Request, write: Write): void => {
    const id = METHODS.has(req.method) ? identityWritten(req.url) : undefined;
    if (id === undefined) write.onTurn(() => {});
    else if (!write.res.destroyed) {
      const queue = queues.get(id);
      if (queue === undefined) {
        queues.set(id, []);
        begin(id, write);
      } else if (queue.length < MAX_WAITING.forOne && waiting < MAX_WAITING.inAll) wait(id, queue, write);
      else refuse(write);
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

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../http/api-error.ts';
import { failureAnswer, failureOf, UpstreamFailure } from '../upstream-failure.ts';
import type { Forwarder } from './forwarder.ts';
import { type SilenceClock, silenceClock } from './silence-clock.ts';

export interface ExchangeOptions {
  path: string;
  headers: Record<string, string | string[]>;
  timeoutMs: number;
  /** Takes the answer over: passes or translates it, and stops the clock at its end. */
  answer(answer: IncomingMessage, exchange: Exchange): void;
  /** No answer began: the error to send. */
  refuse(error: ApiError): void;
}

/** What the one who passes the answer on needs of the exchange. */
export interface Exchange {
  clock: SilenceClock;
  /** The answer has been read to its end, or will not be. */
  finished(): void;
  /** Nobody wants the answer's body: reads a short one, so that the connection can serve again, and cuts a long one. */
  discard(answer: IncomingMessage): void;
}

const DISCARDED_BYTES = 65_536;
const RETRIES = 2;
const REPEATABLE = new Set(['GET', 'HEAD', 'OPTIONS']);
const isReset = (error: unknown): boolean =>
  error instanceof Error && ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');

/**
 * Passes one request to the upstream and hands its answer on. Keeps time, repeats what died on a stale connection,
 * and lets no connection to the upstream outlive its caller.
 */
export function exchange(
  forwarder: Forwarder,
  req: IncomingMessage,
  res: ServerResponse,
  options: ExchangeOptions,
): void {
  if (res.destroyed) return;
  const chunked = req.headers['transfer-encoding'] !== undefined;
  const hasBody = chunked || Number(req.headers['content-length'] ?? 0) > 0;
  const repeatable = !hasBody && REPEATABLE.has(req.method ?? '');
  let client: ClientRequest | undefined;
  let attempts = 0;
  let settled = false;

  const clock = silenceClock(options.timeoutMs, () => {
    const callerIsSilent = !req.complete && client?.socket?.connecting === false && !client.writableNeedDrain;
    if (callerIsSilent) end(new ApiError('request_timeout', { headers: { Connection: 'close' } }));
    else end(failureAnswer(new UpstreamFailure('timeout')));
  });

  function finished(): void {
    clock.stop();
    // An upstream that answered before it had read everything does not want the rest.
    if (!req.complete) leave();
  }

  function discard(answer: IncomingMessage): void {
    clock.onSilence(() => answer.destroy());
    answer.once('close', finished);
    if (Number(answer.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= DISCARDED_BYTES) answer.resume();
    else answer.destroy();
  }

  function leave(): void {
    client?.destroy();
    // What the caller still sends is read and dropped, or the next request on its connection would never be seen.
    req.unpipe();
    req.resume();
  }

  function end(error: ApiError): void {
    if (settled) return;
    settled = true;
    clock.stop();
    leave();
    options.refuse(error);
  }

  const attempt = {
    path: options.path,
    headers: options.headers,
    chunked,
    begun(outgoing: ClientRequest): void {
      client = outgoing;
      if (settled) outgoing.destroy();
      outgoing.once('upgrade', (_answer, socket) => {
        socket.destroy();
        end(failureAnswer(new UpstreamFailure('broken', { cause: new Error('protocol switched') })));
      });
      // Waiting for a free connection is not the upstream's silence.
      clock.hold();
      outgoing.once('socket', clock.touch);
      if (!hasBody) return;
      // The library pipes right after this; the header clock starts when the body has ended.
      req.on('data', clock.touch);
      req.once('end', clock.touch);
      outgoing.on('drain', clock.touch);
    },
    answered(answer: IncomingMessage): void {
      if (settled) return void answer.destroy();
      settled = true;
      clock.touch();
      try {
        options.answer(answer, { clock, finished, discard });
      } catch (error) {
        settled = false;
        end(failureAnswer(new UpstreamFailure('broken', { cause: error })));
      }
    },
    failed(error: unknown): void {
      if (settled) return;
      if (repeatable && attempts < RETRIES && client?.reusedSocket === true && isReset(error) && !res.destroyed) {
        attempts += 1;
        forwarder.dropIdle();
        forwarder.forward(req, res, attempt);
      } else end(failureAnswer(failureOf(error)));
    },
  };

  res.once('close', () => {
    if (res.writableFinished) return;
    settled = true;
    clock.stop();
    client?.destroy();
  });
  forwarder.forward(req, res, attempt);
}

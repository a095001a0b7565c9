import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { ApiError } from '../../http/api-error.ts';
import { isUnsafeMethod } from '../../http/safe-methods.ts';
import { failureAnswer, failureOf, UpstreamFailure } from '../upstream-failure.ts';
import type { FairConnections } from './fair-connections.ts';
import type { Attempt, Forwarder } from './forwarder.ts';
import { type IdleTimeout, idleTimeout } from './idle-timeout.ts';
import type { ThroughputLimits, Ticker } from './min-throughput.ts';
import { transferThroughput } from './transfer-throughput.ts';

/** What all exchanges with one upstream share. */
export interface UpstreamConnection {
  forwarder: Forwarder;
  connections: FairConnections;
  ticker: Ticker;
  throughput: ThroughputLimits;
  timeoutMs: number;
}

export interface ExchangeOptions {
  path: string;
  headers: Record<string, string | string[]>;
  /** The key its connection counts for. */
  shareKey: string;
  /** Takes over the response: passes it on or translates it, and stops the timeout at its end. */
  answer(answer: IncomingMessage, exchange: Exchange): void;
  /** Called with the error to send if no response began. */
  refuse(error: ApiError): void;
}

/** What passing on the response needs of the exchange. */
export interface Exchange {
  clock: IdleTimeout;
  /** To be called when the response has been read to its end, or will not be. */
  finished(): void;
  /**
   * For a response whose body is not wanted: reads a short one, so that the connection can be reused, and aborts a long
   * one.
   */
  discard(answer: IncomingMessage): void;
}

const DISCARDED_BYTES = 65_536;
const isReset = (error: unknown): boolean =>
  error instanceof Error && ['ECONNRESET', 'EPIPE'].includes((error as NodeJS.ErrnoException).code ?? '');

/**
 * Forwards one request to the upstream and passes on its response. Waits for a connection, enforces timeouts, retries
 * what failed on a stale connection, and lets no upstream connection outlive its client.
 */
export function exchange(
  { forwarder, connections, ticker, throughput, timeoutMs }: UpstreamConnection,
  req: IncomingMessage,
  res: ServerResponse,
  options: ExchangeOptions,
): void {
  if (res.destroyed) return;
  const chunked = req.headers['transfer-encoding'] !== undefined;
  const hasBody = chunked || Number(req.headers['content-length'] ?? 0) > 0;
  const repeatable = !hasBody && !isUnsafeMethod(req.method);
  let client: ClientRequest | undefined;
  let answer: IncomingMessage | undefined;
  let settled = false;
  /** The number of requests to the upstream, including those the library is about to create. */
  let under = 0;

  const clock = idleTimeout(timeoutMs, () => {
    const callerIsSilent = !req.complete && client?.socket?.connecting === false && !client.writableNeedDrain;
    if (callerIsSilent) end(new ApiError('request_timeout', { headers: { Connection: 'close' } }));
    else end(failureAnswer(new UpstreamFailure('timeout')));
  });

  const parties = transferThroughput(throughput, { req, res, hasBody, client: () => client, answer: () => answer });
  const unwatch = ticker.each((elapsedMs) => {
    if (parties.observe(elapsedMs)) clock.expire();
  });

  /** The connection is free for others once none of our requests uses it. */
  function over(): void {
    under -= 1;
    if (under > 0) return;
    unwatch();
    giveUp();
  }

  function finished(): void {
    clock.stop();
    // An upstream that responds before reading the whole request does not want the rest.
    if (!req.complete) leave();
  }

  function discard(unwanted: IncomingMessage): void {
    clock.onSilence(() => unwanted.destroy());
    unwanted.once('close', finished);
    if (Number(unwanted.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= DISCARDED_BYTES) unwanted.resume();
    else unwanted.destroy();
  }

  function leave(): void {
    client?.destroy();
    // Read and discard what the client still sends; otherwise the next request on its connection would not be seen.
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

  const attempt: Attempt = {
    path: options.path,
    headers: options.headers,
    chunked,
    fresh: false,
    begun(outgoing) {
      client = outgoing;
      outgoing.once('close', over);
      if (settled) outgoing.destroy();
      outgoing.once('upgrade', (_answer, socket) => {
        socket.on('error', () => {}).destroy();
        end(failureAnswer(new UpstreamFailure('broken', { cause: new Error('protocol switched') })));
      });
      // Waiting for a free connection does not count as the upstream being idle.
      clock.hold();
      outgoing.once('socket', clock.touch);
      if (!hasBody) return;
      // The library pipes right after this; the response timeout starts when the body has ended.
      req.on('data', clock.touch);
      req.once('end', clock.touch);
      outgoing.on('drain', clock.touch);
    },
    answered(begun) {
      if (settled) return void begun.destroy();
      settled = true;
      answer = begun;
      clock.touch();
      try {
        options.answer(begun, { clock, finished, discard });
      } catch (error) {
        settled = false;
        end(failureAnswer(new UpstreamFailure('broken', { cause: error })));
      }
    },
    failed(error) {
      if (client === undefined) under -= 1;
      if (settled) return;
      if (repeatable && !attempt.fresh && client?.reusedSocket === true && isReset(error) && !res.destroyed) {
        forwarder.dropIdle();
        attempt.fresh = true;
        begin();
      } else end(failureAnswer(failureOf(error)));
    },
  };

  function begin(): void {
    under += 1;
    client = undefined;
    forwarder.forward(req, res, attempt);
  }

  // Timed from here on: waiting for a connection has a limit of its own.
  clock.hold();
  const giveUp = connections.claim(options.shareKey, {
    granted() {
      clock.touch();
      begin();
    },
    refused: () => end(new ApiError('service_unavailable', { headers: { 'Retry-After': '1' } })),
    stalledMs: parties.callerSlowMs,
    cut: clock.expire,
  });
  res.once('close', () => {
    if (under === 0) {
      unwatch();
      giveUp();
    }
    if (res.writableFinished) return;
    settled = true;
    clock.stop();
    client?.destroy();
  });
}

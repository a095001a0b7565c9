import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { ApiError } from '../../http/errors.ts';
import { isUnsafeMethod } from '../../http/response.ts';
import { isStale } from '../agent.ts';
import { failureOf, gatewayError, UpstreamFailure } from '../failure.ts';
import { type Clock, createForwarder, fairConnections, hasBody } from './forwarder.ts';
import type { HeaderList } from './headers.ts';

/** The side we are waiting for must transfer at least `bytes` every `ms`. */
const MIN_THROUGHPUT = { bytes: 30 * 1024, ms: 30_000 };

/**
 * Measures one side of a transfer.
 * @param bytes reads how many bytes a connection has transferred; bytes transferred before the first call do not count
 */
function throughput(bytes: (socket: Socket) => number) {
  let counted: Socket | undefined;
  let before = 0;
  let moved = 0;
  let mark = 0;
  let slowMs = 0;
  /** @returns for how many milliseconds it has been too slow while the transfer was waiting for it */
  return (elapsedMs: number, mustAct: boolean, socket: Socket | null): number => {
    if (socket) {
      if (counted !== socket) before = bytes(socket) - moved;
      counted = socket;
      moved = bytes(socket) - before;
    }
    if (moved - mark >= MIN_THROUGHPUT.bytes) {
      mark = moved;
      slowMs = 0;
    } else if (mustAct) slowMs += elapsedMs;
    return slowMs;
  };
}
const written = (socket: Socket): number => socket.bytesWritten - socket.writableLength;
const read = (socket: Socket): number => socket.bytesRead;

/** Measures both sides of a proxied request, each only while the transfer is waiting for it. */
function transferThroughput(req: IncomingMessage, res: ServerResponse) {
  const withBody = hasBody(req);
  const clientSends = throughput(read);
  const upstreamReads = throughput(written);
  const upstreamSends = throughput(read);
  const clientReads = throughput(written);
  let slowClientMs = 0;

  return {
    slowClientMs: () => slowClientMs,
    /** @returns whether one side is too slow */
    observe(elapsedMs: number, outgoing: ClientRequest | undefined, incoming: IncomingMessage | undefined): boolean {
      let clientMs = 0;
      let upstreamMs = 0;
      if (withBody && outgoing !== undefined && !outgoing.destroyed) {
        // The client must send while there is buffer space; the upstream must read while there is none.
        const full = outgoing.writableNeedDrain;
        if (!req.complete) clientMs = clientSends(elapsedMs, !full, req.socket);
        if (!outgoing.writableFinished) upstreamMs = upstreamReads(elapsedMs, full, outgoing.socket);
      }
      if (incoming !== undefined) {
        // The reverse, for the response.
        const full = res.writableNeedDrain;
        const mustSend = !full && !incoming.isPaused();
        clientMs = Math.max(clientMs, clientReads(elapsedMs, full, res.socket));
        if (!incoming.complete) upstreamMs = Math.max(upstreamMs, upstreamSends(elapsedMs, mustSend, incoming.socket));
      }
      slowClientMs = clientMs;
      return Math.max(clientMs, upstreamMs) >= MIN_THROUGHPUT.ms;
    },
  };
}

/** Shared by all requests to one upstream. */
export function connectionsTo(
  target: URL,
  timeoutMs: number,
  limits: { connections: number; waiting: number },
  clock: Clock | undefined,
) {
  // The precision of timeouts.
  const tickMs = Math.min(50, timeoutMs / 4);
  return {
    forwarder: createForwarder(target, limits.connections),
    connections: fairConnections({ ...limits, waitMs: timeoutMs, stalledMs: 2_000, tickMs }, clock),
    timeoutMs,
    tickMs,
  };
}

/** A running request, as seen by the code that passes on its response. */
export interface ProxiedRequest {
  /** Restarts the timeout after progress. */
  resetTimer(): void;
  /** Pauses the timeout while the client is not reading. */
  pauseTimer(): void;
  /** Replaces the action for a side that is silent or too slow. */
  onTimeout(act: () => void): void;
  /** Must be called when nothing more of the response will be read. */
  finished(): void;
}

/**
 * Forwards one request to the upstream and hands over its response. Waits for a connection, enforces timeouts, retries
 * after a stale connection, and closes the upstream's connection if the client disconnects.
 */
export function forwardRequest(
  upstream: ReturnType<typeof connectionsTo>,
  req: IncomingMessage,
  res: ServerResponse,
  options: {
    path: string;
    headers: HeaderList;
    /** The key that its connection counts for. */
    shareKey: string;
    /** Called before the first byte of a body is read. */
    onBody(): void;
    /** Calls `finished` at the end of the response. */
    onResponse(incoming: IncomingMessage, request: ProxiedRequest): void;
    /** Called with the error to send if no response began. */
    onRefused(error: ApiError): void;
  },
): void {
  const { forwarder, connections, timeoutMs, tickMs } = upstream;
  const { path, headers } = options;
  const withBody = hasBody(req);
  const isRepeatable = !withBody && !isUnsafeMethod(req.method);

  let outgoing: ClientRequest | undefined;
  let incoming: IncomingMessage | undefined;
  /** Whether a response has begun, the request was refused, or the client has disconnected. */
  let settled = false;
  let isRetry = false;
  /** The number of requests to the upstream, including those the library is about to create. */
  let running = 0;
  /** Frees the connection for others, once none of our requests uses it. */
  let giveUp: (() => void) | undefined;
  /** The time without progress, excluding time spent waiting for the client or for a connection. */
  let idleMs = 0;
  let isPaused = true;
  let atTimeout: (() => void) | undefined;
  /** Created at the first tick, since most requests end before that. */
  let transfer: ReturnType<typeof transferThroughput> | undefined;

  const request: ProxiedRequest = {
    resetTimer,
    pauseTimer,
    onTimeout(act) {
      atTimeout = act;
    },
    finished() {
      pauseTimer();
      // An upstream that responds before it has read the whole request does not need the rest.
      if (outgoing?.writableEnded === false) abandon();
    },
  };

  if (res.destroyed) return;
  res.on('close', onClose);
  // A connection may be granted within this call.
  giveUp = connections.claim(options.shareKey, {
    granted() {
      resetTimer();
      start();
    },
    refused: () => refuse(new ApiError('service_unavailable', { headers: { 'Retry-After': '1' } })),
    tick: onTick,
    stalledMs: () => transfer?.slowClientMs() ?? 0,
    cut,
  });

  function start(): void {
    running += 1;
    outgoing = undefined;
    forwarder.forward(req, { path, headers, isRetry, onSocket, onResponse, onError });
  }

  function onSocket(created: ClientRequest): void {
    resetTimer();
    outgoing = created;
    created.on('close', () => {
      running -= 1;
      if (running === 0) giveUp?.();
    });
    if (settled) created.destroy();
    created.on('upgrade', (_incoming, socket) => {
      socket.on('error', () => {}).destroy();
      onError(new UpstreamFailure('broken', { cause: new Error('protocol switched') }));
    });
    if (!withBody) return;
    options.onBody();
    // The library starts piping right after this. The timeout for the response begins when the body has ended.
    req.on('data', resetTimer);
    req.once('end', resetTimer);
    created.on('drain', resetTimer);
  }

  function onResponse(response: IncomingMessage): void {
    if (settled) return void response.destroy();
    settled = true;
    incoming = response;
    resetTimer();
    try {
      options.onResponse(response, request);
    } catch (cause) {
      settled = false;
      refuse(gatewayError(new UpstreamFailure('broken', { cause })));
    }
  }

  function onError(error: unknown): void {
    if (outgoing === undefined) running -= 1;
    if (settled) return;
    if (outgoing !== undefined && isRepeatable && !isRetry && !res.destroyed && isStale(outgoing, error)) {
      forwarder.dropIdle();
      isRetry = true;
      start();
    } else refuse(gatewayError(failureOf(error, outgoing)));
  }

  function onClose(): void {
    if (running === 0) giveUp?.();
    if (res.writableFinished) return;
    settled = true;
    pauseTimer();
    outgoing?.destroy();
  }

  function onTick(elapsedMs: number): void {
    if (!isPaused) idleMs += elapsedMs;
    transfer ??= transferThroughput(req, res);
    const isTooSlow = transfer.observe(elapsedMs, outgoing, incoming);
    if (isTooSlow || idleMs >= timeoutMs) cut();
  }

  function resetTimer(): void {
    isPaused = false;
    // The next tick may follow immediately.
    idleMs = -tickMs;
  }

  function pauseTimer(): void {
    isPaused = true;
  }

  /** Ends the request because one side is silent or too slow, or because others need the connection. */
  function cut(): void {
    const isClientSilent = !req.complete && outgoing?.socket?.connecting === false && !outgoing.writableNeedDrain;
    if (atTimeout !== undefined) atTimeout();
    else if (isClientSilent) refuse(new ApiError('request_timeout', { headers: { Connection: 'close' } }));
    else refuse(gatewayError(new UpstreamFailure('timeout')));
  }

  function refuse(error: ApiError): void {
    if (settled) return;
    settled = true;
    pauseTimer();
    abandon();
    options.onRefused(error);
  }

  function abandon(): void {
    outgoing?.destroy();
    // Discard the rest of the body; otherwise the next request on the client's connection would not be noticed.
    req.unpipe();
    req.resume();
  }
}

/** Ignores the body of a response: reads a short one, so that the connection can be reused, and aborts a long one. */
export function discardBody(incoming: IncomingMessage, request: ProxiedRequest): void {
  request.onTimeout(() => incoming.destroy());
  incoming.once('close', request.finished);
  if (Number(incoming.headers['content-length'] ?? Number.POSITIVE_INFINITY) <= 65_536) incoming.resume();
  else incoming.destroy();
}

import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Minimum throughput: the side we are waiting for must transfer at least `bytes` every `ms`. */
export const MIN_THROUGHPUT = { bytes: 30 * 1024, ms: 30_000 };
export type ThroughputLimits = typeof MIN_THROUGHPUT;

/** A late tick counts as at most this many: the process was busy or stopped, not its clients. */
const LATE_TICKS = 10;

export type Clock = typeof systemClock;

/**
 * Calls `tick` every so many milliseconds with the time since its last call.
 * @returns a function that ends it
 */
export function systemClock(milliseconds: number, tick: (elapsedMs: number) => void): () => void {
  let last = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    tick(Math.min(now - last, milliseconds * LATE_TICKS));
    last = now;
  }, milliseconds).unref();
  return () => clearInterval(timer);
}

/**
 * Measures one side of a transfer.
 * @param bytes reads how many bytes a connection has transferred; bytes transferred before the first call do not count
 */
function throughput(limits: ThroughputLimits, bytes: (socket: Socket) => number) {
  let counted: Socket | undefined;
  let before = 0;
  let moved = 0;
  let mark = 0;
  let slowMs = 0;
  /**
   * @param elapsedMs since the last call
   * @param mustAct whether the transfer is waiting for this side
   * @returns how long it has been too slow, in milliseconds; at `ThroughputLimits.ms` it has failed
   */
  return (elapsedMs: number, mustAct: boolean, socket: Socket | null): number => {
    if (socket) {
      if (counted !== socket) before = bytes(socket) - moved;
      counted = socket;
      moved = bytes(socket) - before;
    }
    if (moved - mark >= limits.bytes) {
      mark = moved;
      slowMs = 0;
    } else if (mustAct) slowMs += elapsedMs;
    return slowMs;
  };
}
const written = (socket: Socket): number => socket.bytesWritten - socket.writableLength;
const read = (socket: Socket): number => socket.bytesRead;

export type TransferThroughput = ReturnType<typeof transferThroughput>;

/** Measures both sides of a proxied request, each only while the transfer is waiting for it. */
export function transferThroughput(
  limits: ThroughputLimits,
  { req, res, hasBody }: { req: IncomingMessage; res: ServerResponse; hasBody: boolean },
) {
  const clientSends = throughput(limits, read);
  const upstreamReads = throughput(limits, written);
  const upstreamSends = throughput(limits, read);
  const clientReads = throughput(limits, written);
  let slowClientMs = 0;

  return {
    /** How long the client has been too slow, in milliseconds. */
    slowClientMs: () => slowClientMs,
    /**
     * @param outgoing the request to the upstream, once it exists
     * @param incoming the upstream's response, once it has begun
     * @returns whether one side is too slow
     */
    observe(elapsedMs: number, outgoing: ClientRequest | undefined, incoming: IncomingMessage | undefined): boolean {
      let clientMs = 0;
      let upstreamMs = 0;
      if (hasBody && outgoing !== undefined && !outgoing.destroyed) {
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
      return Math.max(clientMs, upstreamMs) >= limits.ms;
    },
  };
}

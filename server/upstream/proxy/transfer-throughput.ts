import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type ThroughputLimits, throughput } from './min-throughput.ts';

/** Measures both parties of an exchange, each only while the transfer is waiting for it. */
export interface TransferThroughput {
  /** @returns whether one of them is too slow */
  observe(elapsedMs: number): boolean;
  /** How long the client has been too slow, in milliseconds. */
  callerSlowMs(): number;
}

/** Counts bytes of the current connection, from when it is first seen. */
function counter(bytes: (socket: Socket) => number): (socket: Socket | null | undefined) => number {
  let counted: Socket | undefined;
  let before = 0;
  let total = 0;
  return (socket) => {
    if (!socket) return total;
    if (counted !== socket) before = bytes(socket) - total;
    counted = socket;
    total = bytes(socket) - before;
    return total;
  };
}
const taken = (socket: Socket): number => socket.bytesWritten - socket.writableLength;
const given = (socket: Socket): number => socket.bytesRead;

/**
 * @param parts.client the request to the upstream, once it exists
 * @param parts.answer the upstream's response, once it has begun
 */
export function transferThroughput(
  limits: ThroughputLimits,
  parts: {
    req: IncomingMessage;
    res: ServerResponse;
    hasBody: boolean;
    client: () => ClientRequest | undefined;
    answer: () => IncomingMessage | undefined;
  },
): TransferThroughput {
  const { req, res, hasBody } = parts;
  const sending = throughput(limits);
  const accepting = throughput(limits);
  const answering = throughput(limits);
  const reading = throughput(limits);
  const [sent, accepted, answered, read] = [counter(given), counter(taken), counter(given), counter(taken)];
  let slowCallerMs = 0;

  /** The client must send while there is buffer space; the upstream must read while there is none. */
  function watchUpload(client: ClientRequest, elapsedMs: number): { callerMs: number; upstreamMs: number } {
    const full = client.writableNeedDrain;
    return {
      callerMs: req.complete ? 0 : sending.observe(elapsedMs, !full, sent(req.socket)),
      upstreamMs: client.writableFinished ? 0 : accepting.observe(elapsedMs, full, accepted(client.socket)),
    };
  }

  /** The reverse, for the response. */
  function watchDownload(answer: IncomingMessage, elapsedMs: number): { callerMs: number; upstreamMs: number } {
    const full = res.writableNeedDrain;
    return {
      callerMs: reading.observe(elapsedMs, full, read(res.socket)),
      upstreamMs: answer.complete
        ? 0
        : answering.observe(elapsedMs, !full && !answer.isPaused(), answered(answer.socket)),
    };
  }

  return {
    callerSlowMs: () => slowCallerMs,
    observe(elapsedMs) {
      const client = parts.client();
      const answer = parts.answer();
      const nothing = { callerMs: 0, upstreamMs: 0 };
      const up = hasBody && client !== undefined && !client.destroyed ? watchUpload(client, elapsedMs) : nothing;
      const down = answer === undefined ? nothing : watchDownload(answer, elapsedMs);
      slowCallerMs = Math.max(up.callerMs, down.callerMs);
      return Math.max(slowCallerMs, up.upstreamMs, down.upstreamMs) >= limits.ms;
    },
  };
}

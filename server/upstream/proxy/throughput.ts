import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** Minimum throughput: whoever's turn it is must move at least `bytes` per `ms`. */
export const MIN_THROUGHPUT = { bytes: 30 * 1024, ms: 30_000 };
export type ThroughputLimits = typeof MIN_THROUGHPUT;

/** Measures one party of a transfer. */
export interface Throughput {
  /**
   * @param elapsedMs since the last call
   * @param mustAct whether the transfer is waiting for this party
   * @param moved bytes moved so far
   * @returns how long it has been too slow, in milliseconds; at `ThroughputLimits.ms` it has failed
   */
  observe(elapsedMs: number, mustAct: boolean, moved: number): number;
}

export function throughput(limits: ThroughputLimits): Throughput {
  let mark = 0;
  let slowMs = 0;
  return {
    observe(elapsedMs, mustAct, moved) {
      if (moved - mark >= limits.bytes) {
        mark = moved;
        slowMs = 0;
      } else if (mustAct) slowMs += elapsedMs;
      return slowMs;
    },
  };
}

/** Something that a ticker calls. */
export interface Ticked {
  /** @param elapsedMs since the last tick */
  tick(elapsedMs: number): void;
}

/** Shares one timer among all that are watched; stopped while there are none. */
export interface Ticker {
  milliseconds: number;
  add(watched: Ticked): void;
  remove(watched: Ticked): void;
}

/** A tick that comes later counts as so many: the process was busy or stopped, not its clients. */
const LATE_TICKS = 10;

export function ticker(milliseconds: number): Ticker {
  const all = new Set<Ticked>();
  let timer: NodeJS.Timeout | undefined;
  let last = 0;

  function tick(): void {
    if (all.size === 0) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    const now = performance.now();
    const elapsedMs = Math.min(now - last, milliseconds * LATE_TICKS);
    last = now;
    for (const watched of all) watched.tick(elapsedMs);
  }

  return {
    milliseconds,
    add(watched) {
      all.add(watched);
      if (timer !== undefined) return;
      last = performance.now();
      timer = setInterval(tick, milliseconds).unref();
    },
    remove: (watched) => void all.delete(watched),
  };
}

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

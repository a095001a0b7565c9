import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Log } from '../log.ts';
import { withoutMapping } from '../networks.ts';

/** How long a connection may stay in each state (milliseconds), and how much it may hold (bytes). */
export const CONNECTION_LIMITS = {
  /** Requests read from a connection without a response yet; above this, reading pauses. */
  unanswered: 64,
  /** The same across all connections: a single read may contain a thousand more requests. */
  unansweredInAll: 16_384,
  /** Minimum throughput: a client must read at least `paceBytes` per `paceMs` while there is data for it. */
  paceBytes: 30 * 1024,
  paceMs: 30_000,
  /** The time for the rest of a request that has already been responded to. */
  restMs: 5_000,
  /** The time from a response to the first byte of the next request, as `Keep-Alive` announces; up to a tick more. */
  idleMs: 75_000,
  /** The additional time to the end of its headers and blank lines before it; more than Node's timeout for headers. */
  headMs: 25_000,
};
export type ConnectionLimits = typeof CONNECTION_LIMITS;

/** The number of ticks within the shortest timeout. */
const TICKS = 10;

type Handle = (req: IncomingMessage, res: ServerResponse) => void;
export type ConnectionGuard = ReturnType<typeof guardConnections>;

const newConnection = (socket: Socket) => ({
  socket,
  req: undefined as IncomingMessage | undefined,
  res: undefined as ServerResponse | undefined,
  answered: true,
  /** The number of bytes received when the last response ended; any further bytes belong to a new request. */
  received: 0,
  waiting: [] as (() => void)[],
  stopped: false,
  /** Bytes delivered when the current period began, and how long throughput has been below the minimum. */
  delivered: 0,
  slowMs: 0,
  idleMs: 0,
});
type Connection = ReturnType<typeof newConnection>;

/**
 * Bounds every connection in every state: each has an error listener throughout (Node removes its own before handing a
 * socket over), a timeout, and a limit of pending requests.
 */
export function guardConnections(
  server: Server,
  options: { log: Log; closed?: Handle; limits?: Partial<ConnectionLimits> },
) {
  const { closed = () => {} } = options;
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const connections = new Map<object, Connection>();
  const tickMs = Math.min(1000, Math.min(limits.paceMs, limits.restMs, limits.idleMs) / TICKS);
  let waitingInAll = 0;

  server.on('connection', (socket) => {
    const connection = newConnection(socket);
    connections.set(socket, connection);
    socket.on('error', () => {});
    // `inspect` ends idle connections, so Node need not set and clear a timer for each response.
    socket.setTimeout = () => socket;
    // Reading a body resumes the paused socket.
    socket.on('resume', () => {
      if (connection.stopped) socket.pause();
    });
    socket.once('close', () => {
      waitingInAll -= connection.waiting.length;
      connection.waiting = [];
      connections.delete(socket);
    });
  });

  const end = (connection: Connection, why: string): void => {
    const { remoteAddress } = connection.socket;
    options.log.info({ peer: remoteAddress && withoutMapping(remoteAddress), why }, 'connection ended');
    connection.socket.destroy();
  };

  function inspect(connection: Connection): void {
    const { socket, req, answered, received } = connection;
    const { bytesWritten, writableLength } = socket;
    const delivered = bytesWritten - writableLength;
    if (writableLength === 0 || delivered - connection.delivered >= limits.paceBytes) {
      connection.delivered = delivered;
      connection.slowMs = 0;
    } else {
      connection.slowMs += tickMs;
    }
    if (connection.slowMs >= limits.paceMs) end(connection, 'response is read too slowly');
    // Until the first request, Node's header timeout applies.
    if (!answered || req === undefined) return;
    connection.idleMs += tickMs;
    if (!req.complete && connection.idleMs >= limits.restMs) end(connection, 'request is not sent completely');
    else if (connection.idleMs > limits.idleMs + (socket.bytesRead === received ? 0 : limits.headMs))
      end(connection, 'idle');
  }

  const ticking = setInterval(() => {
    for (const connection of connections.values()) inspect(connection);
  }, tickMs).unref();
  server.once('close', () => clearInterval(ticking));

  function next(connection: Connection): void {
    connection.answered = true;
    connection.received = connection.socket.bytesRead;
    connection.idleMs = 0;
    const handle = connection.waiting.shift();
    if (connection.stopped && connection.waiting.length < limits.unanswered - 1) {
      connection.stopped = false;
      connection.socket.resume();
    }
    if (handle === undefined) return;
    waitingInAll -= 1;
    handle();
  }

  /** The only listener for the end of a response: `close` is emitted exactly once, for complete and aborted ones. */
  function ended(this: ServerResponse): void {
    closed(this.req, this);
    const connection = connections.get(this.req.socket);
    if (connection !== undefined) next(connection);
  }

  function begin(connection: Connection, req: IncomingMessage, res: ServerResponse, handle: Handle): void {
    connection.req = req;
    connection.res = res;
    connection.answered = false;
    res.on('close', ended);
    handle(req, res);
  }

  return {
    /** Handles pipelined requests one after another, so that every response has its connection. */
    inTurn(req: IncomingMessage, res: ServerResponse, handle: Handle): void {
      const connection = connections.get(req.socket);
      if (connection === undefined) return;
      if (connection.answered) {
        begin(connection, req, res, handle);
        return;
      }
      connection.waiting.push(() => begin(connection, req, res, handle));
      waitingInAll += 1;
      if (waitingInAll > limits.unansweredInAll) end(connection, 'too many requests at once');
      else if (connection.waiting.length >= limits.unanswered - 1) {
        connection.stopped = true;
        connection.socket.pause();
      }
    },
    /** The current or last response on a connection. */
    latestResponse: (socket: object) => connections.get(socket)?.res,
    /** Closes connections without a request in progress and with all responses delivered. */
    endIdle(): void {
      for (const { socket, req, answered, received } of connections.values())
        if (answered && (req?.complete ?? true) && socket.bytesRead === received && socket.writableLength === 0)
          socket.destroy();
    },
  };
}

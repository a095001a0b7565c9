import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Server, Socket } from 'node:net';
import type { Log } from '../log/log.ts';

/** How long a connection may stay in each state; milliseconds and bytes. */
export interface ConnectionLimits {
  /** Requests of one connection that are read and not yet answered; beyond them it is not read. */
  unanswered: number;
  /** The same of all connections together: a single read may bring a thousand more than `unanswered`. */
  unansweredInAll: number;
  /** A caller takes at least `paceBytes` in `paceMs` while there are bytes for it. */
  paceBytes: number;
  paceMs: number;
  /** For the rest of a request that has its answer already. */
  restMs: number;
  /** Between an answer and the next request's last header, however many blank lines arrive. */
  idleMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  unanswered: 64,
  unansweredInAll: 16_384,
  paceBytes: 30 * 1024,
  paceMs: 30_000,
  restMs: 5_000,
  // The server's time to keep a connection alive, and its time for headers, which end most connections before.
  idleMs: 100_000,
};

/** Ticks in the shortest of the times. */
const TICKS = 10;

export interface ConnectionGuard {
  /**
   * Has the request handled in its turn: pipelined ones wait until those before them are answered, so that an answer
   * never exists without the connection it goes to.
   */
  inTurn(req: IncomingMessage, res: ServerResponse, handle: () => void): void;
  /** The answer that is under way, or was the last, on a connection. */
  latestAnswer(socket: object): ServerResponse | undefined;
  /** Ends the connections on which nothing was asked that is not answered, to the last byte. */
  endIdle(): void;
}

interface Connection {
  socket: Socket;
  req: IncomingMessage | undefined;
  res: ServerResponse | undefined;
  answered: boolean;
  /** Bytes that had arrived when the last answer was given: what came since is a part of a request. */
  received: number;
  waiting: (() => void)[];
  stopped: boolean;
  /** Bytes that the caller had taken when its time began, and how long it has taken too few. */
  taken: number;
  slowMs: number;
  /** How long nothing has been under way. */
  idleMs: number;
}

/**
 * Bounds every connection of a server in every state: each has an error listener for its whole life (Node takes its own
 * away before it hands a socket over), an end time, and a limit of requests that wait for their answers.
 */
export function guardConnections(
  server: Server,
  options: { log: Log; limits?: Partial<ConnectionLimits> },
): ConnectionGuard {
  const limits = { ...CONNECTION_LIMITS, ...options.limits };
  const connections = new Map<object, Connection>();
  const tickMs = Math.min(1000, Math.min(limits.paceMs, limits.restMs, limits.idleMs) / TICKS);
  let waitingInAll = 0;

  server.on('connection', (socket) => {
    const connection: Connection = {
      socket,
      req: undefined,
      res: undefined,
      answered: true,
      received: 0,
      waiting: [],
      stopped: false,
      taken: 0,
      slowMs: 0,
      idleMs: 0,
    };
    connections.set(socket, connection);
    socket.on('error', () => {});
    // Whoever reads a body resumes its connection.
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
    options.log.info({ peer: connection.socket.remoteAddress, why }, 'connection ended');
    connection.socket.destroy();
  };

  function inspect(connection: Connection): void {
    const { socket, req, answered } = connection;
    const { bytesWritten, writableLength } = socket;
    const taken = bytesWritten - writableLength;
    if (writableLength === 0 || taken - connection.taken >= limits.paceBytes) {
      connection.taken = taken;
      connection.slowMs = 0;
    } else {
      connection.slowMs += tickMs;
    }
    if (connection.slowMs >= limits.paceMs) end(connection, 'reads its answer too slowly');
    // Before its first request it is the server's time for headers that runs.
    if (!answered || req === undefined) return;
    connection.idleMs += tickMs;
    if (!req.complete && connection.idleMs >= limits.restMs) end(connection, 'request not sent completely');
    else if (connection.idleMs >= limits.idleMs) end(connection, 'idle');
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

  return {
    inTurn(req, res, handle) {
      const connection = connections.get(req.socket);
      if (connection === undefined) return;
      const begin = (): void => {
        connection.req = req;
        connection.res = res;
        connection.answered = false;
        res.once('close', () => next(connection));
        handle();
      };
      if (connection.answered) return begin();
      connection.waiting.push(begin);
      waitingInAll += 1;
      if (waitingInAll > limits.unansweredInAll) end(connection, 'too many requests at once');
      else if (connection.waiting.length >= limits.unanswered - 1) {
        connection.stopped = true;
        connection.socket.pause();
      }
    },
    latestAnswer: (socket) => connections.get(socket)?.res,
    endIdle() {
      for (const { socket, req, answered, received } of connections.values())
        if (answered && (req?.complete ?? true) && socket.bytesRead === received && socket.writableLength === 0)
          socket.destroy();
    },
  };
}

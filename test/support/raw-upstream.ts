import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { listenOnLoopback } from './loopback.ts';
import { BodyReader, parseHead, type RawHead } from './raw-client.ts';

/** A request as it was on the wire. */
export interface RecordedRequest extends RawHead {
  method: string;
  target: string;
  /** Resolves with the body, without its framing, when its last byte has arrived; rejects if the connection ends before. */
  body: Promise<Buffer>;
  /** Bytes of the body so far. */
  readonly received: number;
  /** Index of the connection among those accepted. */
  connection: number;
  /** Index of the request on its connection. */
  sequence: number;
}

/** Reads the requests of one connection, and passes each on when its head has arrived. */
function requestReader(connection: number, isStored: boolean, onRequest: (request: RecordedRequest) => void) {
  let buffer: Buffer = Buffer.alloc(0);
  let sequence = 0;
  let open: { reader: BodyReader; resolve: (body: Buffer) => void; reject: (error: Error) => void } | undefined;

  function readHead(): void {
    const end = buffer.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = parseHead(buffer.subarray(0, end));
    buffer = buffer.subarray(end + 4);
    const [method = '', target = ''] = head.line.split(' ');
    const reader = new BodyReader(head, { unframed: 0, isStored });
    const body = new Promise<Buffer>((resolve, reject) => {
      open = { reader, resolve, reject };
    });
    body.catch(() => {});
    onRequest({
      ...head,
      method,
      target,
      body,
      get received() {
        return reader.received;
      },
      connection,
      sequence: sequence++,
    });
  }
  return {
    push(bytes: Buffer): void {
      buffer = buffer.length === 0 ? bytes : Buffer.concat([buffer, bytes]);
      for (;;) {
        if (open === undefined) readHead();
        if (open === undefined) return;
        const { reader, resolve } = open;
        buffer = reader.read(buffer);
        if (!reader.isComplete) return;
        open = undefined;
        resolve(Buffer.concat(reader.chunks));
      }
    },
    /** Rejects an incomplete body, since its connection is closed. */
    end: () => open?.reject(new Error('the connection ended inside the body')),
  };
}

export type RawHandler = (request: RecordedRequest, socket: Socket) => unknown;

export type RawUpstream = Awaited<ReturnType<typeof startRawUpstream>>;

/**
 * An upstream of raw bytes, which records requests as they arrive, and responds with what `handler` writes.
 * @param options.keepBodies false only counts the bytes of bodies, for those too large to store
 */
export async function startRawUpstream(handler: RawHandler, options: { port?: number; keepBodies?: boolean } = {}) {
  const sockets = new Set<Socket>();
  const requests: RecordedRequest[] = [];
  const server = createServer({ noDelay: true });
  let accepted = 0;
  server.on('connection', (socket) => {
    const reader = requestReader(accepted++, options.keepBodies ?? true, (request) => {
      requests.push(request);
      // The handler may wait for a body whose connection has ended.
      void Promise.resolve(handler(request, socket)).catch((error: unknown) => {
        if (!socket.destroyed) throw error;
      });
    });
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      reader.end();
    });
    socket.on('data', reader.push);
  });
  const { port, url, close } = await listenOnLoopback(server, options.port);
  const dropConnections = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url,
    port,
    requests,
    /** Connections accepted so far. */
    get accepted() {
      return accepted;
    },
    /** Number of open connections. */
    openConnections: () => sockets.size,
    /** Waits until no connection is open. */
    async untilIdle(): Promise<void> {
      while (sockets.size > 0) await once([...sockets][0] as Socket, 'close');
    },
    /** Destroys every open connection, and continues to listen. */
    dropConnections,
    async close(): Promise<void> {
      dropConnections();
      await close();
    },
  };
}

/**
 * A complete response with its length.
 * @param headers complete lines
 * @param method of the request: a response to HEAD states the length, and has no body
 */
export function rawResponse(status: string, headers: string[], body = '', method = 'GET'): string {
  const lines = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`];
  return `${lines.map((line) => `${line}\r\n`).join('')}\r\n${method === 'HEAD' ? '' : body}`;
}

/** Responds 200 with the request as JSON: `{method, url, headers, body}`. */
export const echoRequest: RawHandler = async (request, socket) => {
  const { method, target: url, rawHeaders: headers } = request;
  const body = (await request.body).toString('latin1');
  const received = JSON.stringify({ method, url, headers, body });
  socket.write(rawResponse('200 OK', ['Content-Type: application/json', 'X-Upstream: 1'], received, method));
};

/** The first byte of every TLS connection (RFC 8446, section 5.1). */
export const TLS_HANDSHAKE = 22;

/** Starts a server that closes each connection once it has received something. */
export async function startFirstBytes(response: string | Buffer = '') {
  /** The first bytes of each connection. */
  const arrived: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes: Buffer) => {
      arrived.push(bytes);
      socket.end(response);
    });
  });
  return { ...(await listenOnLoopback(server)), arrived };
}

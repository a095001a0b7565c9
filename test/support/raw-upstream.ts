import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type RecordedRequest, RequestReader } from './request-reader.ts';

export type RawHandler = (request: RecordedRequest, socket: Socket) => unknown;

export interface RawUpstream {
  url: string;
  port: number;
  requests: RecordedRequest[];
  /** Connections ever accepted. */
  accepted: number;
  /** Connections open at this moment. */
  open(): number;
  /** Resolves once no connection is open; tests give it their own time limit. */
  idle(): Promise<void>;
  /** Destroys every open connection and goes on listening. */
  dropConnections(): void;
  close(): Promise<void>;
}

/**
 * An upstream that speaks raw bytes: it records requests as they arrive and answers whatever `handler` writes.
 * @param options.keepBodies false counts bytes only, for bodies too large to hold
 */
export async function startRawUpstream(
  handler: RawHandler,
  options: { port?: number; keepBodies?: boolean } = {},
): Promise<RawUpstream> {
  const sockets = new Set<Socket>();
  const requests: RecordedRequest[] = [];
  const server = createServer({ noDelay: true });
  const upstream: RawUpstream = {
    url: '',
    port: 0,
    requests,
    accepted: 0,
    open: () => sockets.size,
    async idle() {
      while (sockets.size > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    dropConnections() {
      for (const socket of sockets) socket.destroy();
    },
    async close() {
      upstream.dropConnections();
      if (!server.listening) return;
      server.close();
      await once(server, 'close');
    },
  };
  server.on('connection', (socket) => {
    const connection = upstream.accepted++;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => {
      sockets.delete(socket);
      reader.abandon();
    });
    const reader = new RequestReader(connection, options.keepBodies ?? true, (request) => {
      requests.push(request);
      // It may wait for a body whose connection has ended.
      void Promise.resolve(handler(request, socket)).catch((error: unknown) => {
        if (!socket.destroyed) throw error;
      });
    });
    socket.on('data', (chunk) => reader.push(chunk));
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  upstream.port = (server.address() as AddressInfo).port;
  upstream.url = `http://127.0.0.1:${upstream.port}`;
  return upstream;
}

/** A complete answer with a length; `headers` are whole lines. The answer to a HEAD says the length and has no body. */
export function answer(status: string, headers: string[], body = '', method = 'GET'): string {
  const lines = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`];
  return `${lines.map((line) => `${line}\r\n`).join('')}\r\n${method === 'HEAD' ? '' : body}`;
}

/** 200 with what arrived as JSON: `{method, url, headers, body}`. */
export const echo: RawHandler = async (request, socket) => {
  const { method, target: url, rawHeaders: headers } = request;
  const body = (await request.body).toString('latin1');
  const seen = JSON.stringify({ method, url, headers, body });
  socket.write(answer('200 OK', ['Content-Type: application/json', 'X-Upstream: 1'], seen, method));
};

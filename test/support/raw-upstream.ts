import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** One request exactly as it stood on the wire. */
export interface RecordedRequest {
  /** `POST /x?y HTTP/1.1` */
  line: string;
  method: string;
  target: string;
  /** Names and values in order, in the spelling received. */
  rawHeaders: [string, string][];
  /** All values of a header, whatever its case. */
  header(name: string): string[];
  /** Resolves with the unframed body when its last byte is here; rejects when the connection ends before. */
  body: Promise<Buffer>;
  /** Bytes of the body so far. */
  received: number;
  /** Which connection brought it, counted from 0, and as which request on it. */
  connection: number;
  sequence: number;
}

interface Open {
  request: RecordedRequest;
  chunks: Buffer[];
  framing:
    | { kind: 'length'; left: number }
    | { kind: 'chunked'; state: 'size' | 'data' | 'crlf' | 'trailer'; left: number };
  done(): void;
  fail(): void;
}

/** Reads requests off one connection, one after another, and never forgives: what is left behind a body is the next request. */
class RequestReader {
  #buffer: Buffer = Buffer.alloc(0);
  #open: Open | undefined;
  #sequence = 0;
  readonly #connection: number;
  readonly #keepBodies: boolean;
  readonly #begun: (request: RecordedRequest) => void;

  constructor(connection: number, keepBodies: boolean, begun: (request: RecordedRequest) => void) {
    this.#connection = connection;
    this.#keepBodies = keepBodies;
    this.#begun = begun;
  }

  push(chunk: Buffer): void {
    this.#buffer = this.#buffer.length === 0 ? chunk : Buffer.concat([this.#buffer, chunk]);
    while (this.#open === undefined ? this.#readHead() : this.#readBody(this.#open)) {}
  }

  /** The connection is gone: an unfinished body will not come any more. */
  abandon(): void {
    this.#open?.fail();
    this.#open = undefined;
  }

  #readHead(): boolean {
    const end = this.#buffer.indexOf('\r\n\r\n');
    if (end < 0) return false;
    const [line = '', ...fields] = this.#buffer.subarray(0, end).toString('latin1').split('\r\n');
    this.#buffer = this.#buffer.subarray(end + 4);
    const rawHeaders = fields.map((field): [string, string] => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon), field.slice(colon + 1).trim()];
    });
    const header = (name: string): string[] =>
      rawHeaders.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
    const [method = '', target = ''] = line.split(' ');
    const chunks: Buffer[] = [];
    let done = (): void => {};
    let fail = (): void => {};
    const body = new Promise<Buffer>((resolve, reject) => {
      done = () => resolve(Buffer.concat(chunks));
      fail = () => reject(new Error('the connection ended inside the body'));
    });
    body.catch(() => {});
    const request: RecordedRequest = {
      line,
      method,
      target,
      rawHeaders,
      header,
      body,
      received: 0,
      connection: this.#connection,
      sequence: this.#sequence++,
    };
    const chunked = header('transfer-encoding').some((value) => /chunked/i.test(value));
    this.#open = {
      request,
      chunks,
      done,
      fail,
      framing: chunked
        ? { kind: 'chunked', state: 'size', left: 0 }
        : { kind: 'length', left: Number(header('content-length')[0] ?? 0) },
    };
    this.#begun(request);
    return true;
  }

  #readBody(open: Open): boolean {
    const { framing } = open;
    if (framing.kind === 'length') {
      framing.left -= this.#take(open, framing.left);
      return framing.left === 0 ? this.#finish(open) : false;
    }
    if (framing.state === 'data') {
      framing.left -= this.#take(open, framing.left);
      if (framing.left > 0) return false;
      framing.state = 'crlf';
    }
    const end = this.#buffer.indexOf('\r\n');
    if (end < 0) return false;
    const line = this.#buffer.subarray(0, end).toString('latin1');
    this.#buffer = this.#buffer.subarray(end + 2);
    if (framing.state === 'crlf') framing.state = 'size';
    else if (framing.state === 'trailer') return line === '' ? this.#finish(open) : true;
    else {
      framing.left = Number.parseInt(line, 16);
      framing.state = framing.left === 0 ? 'trailer' : 'data';
    }
    return true;
  }

  #take(open: Open, wanted: number): number {
    const part = this.#buffer.subarray(0, wanted);
    this.#buffer = this.#buffer.subarray(part.length);
    open.request.received += part.length;
    if (this.#keepBodies && part.length > 0) open.chunks.push(part);
    return part.length;
  }

  #finish(open: Open): boolean {
    this.#open = undefined;
    open.done();
    return true;
  }
}

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
export function rawResponse(status: string, headers: string[], body = '', method = 'GET'): string {
  const lines = [`HTTP/1.1 ${status}`, ...headers, `Content-Length: ${Buffer.byteLength(body)}`];
  return `${lines.map((line) => `${line}\r\n`).join('')}\r\n${method === 'HEAD' ? '' : body}`;
}

/** 200 with what arrived as JSON: `{method, url, headers, body}`. */
export const echo: RawHandler = async (request, socket) => {
  const { method, target: url, rawHeaders: headers } = request;
  const body = (await request.body).toString('latin1');
  const seen = JSON.stringify({ method, url, headers, body });
  socket.write(rawResponse('200 OK', ['Content-Type: application/json', 'X-Upstream: 1'], seen, method));
};

/** The first byte of every TLS connection (RFC 8446, section 5.1). */
export const TLS_HANDSHAKE = 22;

/** A port whose connections are closed once they have sent something. */
interface FirstBytes {
  port: number;
  /** What each connection sent first. */
  arrived: Buffer[];
  close(): void;
}

export async function startFirstBytes(): Promise<FirstBytes> {
  const arrived: Buffer[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.once('data', (bytes: Buffer) => {
      arrived.push(bytes);
      socket.destroy();
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, arrived, close: () => void server.close() };
}

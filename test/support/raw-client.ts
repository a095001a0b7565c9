import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** The head of an HTTP/1.1 message as it was on the wire. */
export interface RawHead {
  /** `HTTP/1.1 200 OK` or `POST /x?y HTTP/1.1` */
  line: string;
  /** Names and values in order, in the spelling received. */
  rawHeaders: [name: string, value: string][];
  /** All values of a header, whatever its case. */
  header(name: string): string[];
}

/** @param bytes everything before the empty line */
export function parseHead(bytes: Buffer): RawHead {
  const [line = '', ...fields] = bytes.toString('latin1').split('\r\n');
  const rawHeaders = fields.map((field): [string, string] => {
    const colon = field.indexOf(':');
    return [field.slice(0, colon), field.slice(colon + 1).trim()];
  });
  return {
    line,
    rawHeaders,
    header: (name) => rawHeaders.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value),
  };
}

/** Reads a body out of its framing while it arrives (RFC 9112, section 6). Corrects nothing: what follows is the next message. */
export class BodyReader {
  isComplete = false;
  /** Bytes of the body so far. */
  received = 0;
  /** The body so far, unless only its bytes are counted. */
  readonly chunks: Buffer[] = [];
  readonly trailers: string[] = [];
  readonly #isStored: boolean;
  readonly #isChunked: boolean;
  #expects: 'data' | 'end of chunk' | 'size' | 'trailer';
  /** Bytes of the body, or of its current chunk, that have not arrived. */
  #missing: number;

  /** @param options.unframed length of a body without `Content-Length` or `Transfer-Encoding` */
  constructor({ header }: RawHead, options: { unframed: number; isStored?: boolean }) {
    this.#isStored = options.isStored ?? true;
    this.#isChunked = header('transfer-encoding').some((value) => /chunked/i.test(value));
    this.#expects = this.#isChunked ? 'size' : 'data';
    this.#missing = Number(header('content-length')[0] ?? options.unframed);
  }

  /** @returns the bytes that were not read: part of a line, or what follows the body */
  read(bytes: Buffer): Buffer {
    let rest = bytes;
    while (!this.isComplete) {
      if (this.#expects === 'data') {
        const part = rest.subarray(0, this.#missing);
        rest = rest.subarray(part.length);
        this.#missing -= part.length;
        this.received += part.length;
        if (this.#isStored && part.length > 0) this.chunks.push(part);
        if (this.#missing > 0) break;
        if (this.#isChunked) this.#expects = 'end of chunk';
        else this.isComplete = true;
        continue;
      }
      const end = rest.indexOf('\r\n');
      if (end < 0) break;
      this.#readLine(rest.toString('latin1', 0, end));
      rest = rest.subarray(end + 2);
    }
    return rest;
  }

  #readLine(line: string): void {
    if (this.#expects === 'end of chunk') this.#expects = 'size';
    else if (this.#expects === 'size') {
      this.#missing = Number.parseInt(line, 16);
      this.#expects = this.#missing === 0 ? 'trailer' : 'data';
    } else if (line === '') this.isComplete = true;
    else this.trailers.push(line);
  }
}

/** A response as it was on the wire. */
export interface RawResponse extends RawHead {
  status: number;
  /** The body without its framing. */
  body: Buffer;
  /** Whether the body is complete by its framing; false if the connection ended too early. */
  complete: boolean;
}

/** A connection that sends bytes as they are, and reads one response after the other. */
export class RawConnection {
  readonly socket: Socket;
  /** `end` after an orderly close, `reset` after any other, undefined while open. */
  ending: 'end' | 'reset' | undefined;
  #chunks: Buffer[] = [];
  #length = 0;
  #changed: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.#chunks.push(chunk);
      this.#length += chunk.length;
      this.#changed();
    });
    socket.on('error', () => {
      this.ending = 'reset';
    });
    socket.on('close', () => {
      this.ending ??= 'end';
      this.#changed();
    });
  }

  static async open(port: number): Promise<RawConnection> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  /** @param text in Latin-1 */
  write(text: string | Buffer): void {
    this.socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
  }

  close(): void {
    this.socket.destroy();
  }

  /** Everything received that is not part of a response read before, in Latin-1. */
  get pending(): string {
    return this.#buffer.toString('latin1');
  }

  get pendingBytes(): number {
    return this.#length;
  }

  /** Joined only on demand: large bodies arrive in thousands of chunks. */
  get #buffer(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] as Buffer;
  }

  set #buffer(rest: Buffer) {
    this.#chunks = [rest];
    this.#length = rest.length;
  }

  /** Waits for a condition. @throws Error if the connection ends first */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) {
      if (this.ending !== undefined) throw new Error(`connection ended, pending: ${this.pending.slice(0, 200)}`);
      await this.#change();
    }
  }

  async untilClosed(): Promise<'end' | 'reset'> {
    while (this.ending === undefined) await this.#change();
    return this.ending;
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#changed = resolve;
    });
  }

  /** Reads the next final response. @param method of its request: a response to HEAD has no body */
  async response(method = 'GET'): Promise<RawResponse> {
    const head = parseHead(await this.#head());
    const status = Number(head.line.split(' ')[1]);
    if (status >= 100 && status < 200) return this.response(method);
    if (method === 'HEAD' || status === 204 || status === 304)
      return { ...head, status, body: Buffer.alloc(0), complete: true };
    const reader = new BodyReader(head, { unframed: Number.POSITIVE_INFINITY });
    for (;;) {
      this.#buffer = reader.read(this.#buffer);
      if (reader.isComplete || this.ending !== undefined) break;
      await this.#change();
    }
    assert.deepEqual(reader.trailers, [], 'a response has trailers');
    const isFramed = [...head.header('transfer-encoding'), ...head.header('content-length')].length > 0;
    const complete = isFramed ? reader.isComplete : this.ending === 'end';
    return { ...head, status, body: Buffer.concat(reader.chunks), complete };
  }

  /** Reads only the head of a response; its body remains pending. */
  async readHead(): Promise<void> {
    await this.#head();
  }

  async #head(): Promise<Buffer> {
    await this.until(() => this.#buffer.includes('\r\n\r\n'));
    const end = this.#buffer.indexOf('\r\n\r\n');
    const head = this.#buffer.subarray(0, end);
    this.#buffer = this.#buffer.subarray(end + 4);
    return head;
  }

  /** Passes all bytes from now on to `take`, for bodies too large to store. */
  passBytesTo(take: (chunk: Buffer) => void): void {
    take(this.#buffer);
    this.#buffer = Buffer.alloc(0);
    this.socket.removeAllListeners('data');
    this.socket.on('data', take);
  }
}

/** The head of a request: its line, `Host`, and these header lines. */
export const requestHead = (line: string, headers: readonly string[] = []): string =>
  `${[`${line} HTTP/1.1`, 'Host: localhost', ...headers].join('\r\n')}\r\n\r\n`;

/** A body in these chunks. */
export const chunkedBody = (...chunks: string[]): string =>
  `${chunks.map((chunk) => `${Buffer.byteLength(chunk, 'latin1').toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`;

/** Sends one request on a connection of its own, and reads its response. */
export async function sendRaw(port: number, request: string | Buffer): Promise<RawResponse> {
  const connection = await RawConnection.open(port);
  try {
    connection.write(request);
    return await connection.response(request.toString('latin1').split(' ', 1)[0]);
  } finally {
    connection.close();
  }
}

/**
 * Writes bytes on a connection of its own. @returns the final responses received until the server closes it
 * @param bytes Latin-1 text, sent as it is: a client library would normalise it
 * @param limits.count of responses, and the time, after which the connection is closed
 */
export async function exchangeBytes(
  port: number,
  bytes: string,
  { method = 'GET', count = Number.POSITIVE_INFINITY, waitMs = 30_000 } = {},
): Promise<RawResponse[]> {
  const connection = await RawConnection.open(port);
  const timer = setTimeout(() => connection.close(), waitMs);
  connection.write(bytes);
  const responses: RawResponse[] = [];
  const hasHead = (): boolean => connection.pending.includes('\r\n\r\n');
  while (responses.length < count) {
    await connection.until(() => hasHead() || connection.ending !== undefined);
    if (!hasHead()) break;
    responses.push(await connection.response(method));
  }
  clearTimeout(timer);
  connection.close();
  return responses;
}

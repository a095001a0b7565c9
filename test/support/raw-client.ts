import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer as it stood on the wire. */
export interface RawResponse {
  status: number;
  /** `HTTP/1.1 200 OK` */
  line: string;
  rawHeaders: [string, string][];
  /** All values of a header, whatever its case. */
  header(name: string): string[];
  /** Without its framing. */
  body: Buffer;
  /** Whether the framing says that the body is whole; false when the connection ended before. */
  complete: boolean;
}

/** A connection on which bytes are written as given and answers are read one after another. */
export class RawConnection {
  readonly socket: Socket;
  /** `end` of an orderly close, `reset` of any other, undefined while open. */
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

  write(text: string | Buffer): void {
    this.socket.write(typeof text === 'string' ? Buffer.from(text, 'latin1') : text);
  }

  close(): void {
    this.socket.destroy();
  }

  /** Bytes received and not yet read as an answer. */
  get pending(): string {
    return this.#buffer.toString('latin1');
  }

  /** Joined only when it is looked at: large bodies arrive in thousands of chunks. */
  get #buffer(): Buffer {
    const [first] = this.#chunks;
    if (this.#chunks.length === 1 && first !== undefined) return first;
    const joined = Buffer.concat(this.#chunks);
    this.#chunks = [joined];
    return joined;
  }

  set #buffer(rest: Buffer) {
    this.#chunks = [rest];
    this.#length = rest.length;
  }

  get pendingBytes(): number {
    return this.#length;
  }

  /** Resolves when `test` holds, or rejects when the connection ended and it does not. */
  async until(test: () => boolean): Promise<void> {
    while (!test()) {
      if (this.ending !== undefined) throw new Error(`connection ended, pending: ${this.pending.slice(0, 200)}`);
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
  }

  async closed(): Promise<'end' | 'reset'> {
    while (this.ending === undefined) {
      await new Promise<void>((resolve) => {
        this.#changed = resolve;
      });
    }
    return this.ending;
  }

  /** Reads the next final answer; `method` HEAD says that it has no body. */
  async response(method = 'GET'): Promise<RawResponse> {
    await this.until(() => this.#buffer.includes('\r\n\r\n'));
    const end = this.#buffer.indexOf('\r\n\r\n');
    const [line = '', ...fields] = this.#buffer.subarray(0, end).toString('latin1').split('\r\n');
    this.#buffer = this.#buffer.subarray(end + 4);
    const status = Number(line.split(' ')[1]);
    if (status >= 100 && status < 200) return this.response(method);
    const rawHeaders = fields.map((field): [string, string] => {
      const colon = field.indexOf(':');
      return [field.slice(0, colon), field.slice(colon + 1).trim()];
    });
    const header = (name: string): string[] =>
      rawHeaders.filter(([key]) => key.toLowerCase() === name.toLowerCase()).map(([, value]) => value);
    const response: RawResponse = { status, line, rawHeaders, header, body: Buffer.alloc(0), complete: true };
    if (method === 'HEAD' || status === 204 || status === 304) return response;
    try {
      if (header('transfer-encoding').length > 0) response.body = await this.#chunkedBody();
      else if (header('content-length').length > 0) {
        const length = Number(header('content-length')[0]);
        await this.until(() => this.#length >= length);
        response.body = this.#take(length);
      } else {
        response.complete = (await this.closed()) === 'end';
        response.body = this.#take(this.#buffer.length);
      }
    } catch {
      response.complete = false;
      response.body = this.#take(this.#buffer.length);
    }
    return response;
  }

  /** Reads an answer's head alone; what follows it stays pending. */
  async headOnly(): Promise<void> {
    await this.until(() => this.#buffer.includes('\r\n\r\n'));
    this.#take(this.#buffer.indexOf('\r\n\r\n') + 4);
  }

  /** Hands all bytes from now on to `take`, for bodies too large to hold. */
  redirect(take: (chunk: Buffer) => void): void {
    take(this.#take(this.#length));
    this.socket.removeAllListeners('data');
    this.socket.on('data', take);
  }

  async #chunkedBody(): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (;;) {
      await this.until(() => this.#buffer.includes('\r\n'));
      const line = this.#take(this.#buffer.indexOf('\r\n') + 2);
      const size = Number.parseInt(line.toString('latin1'), 16);
      await this.until(() => this.#length >= size + 2);
      const data = this.#take(size + 2);
      if (size === 0) return Buffer.concat(chunks);
      chunks.push(data.subarray(0, size));
    }
  }

  #take(length: number): Buffer {
    const part = this.#buffer.subarray(0, length);
    this.#buffer = this.#buffer.subarray(length);
    return part;
  }
}

/** A request's head: the line, `Host`, the given header lines. */
export const head = (line: string, headers: readonly string[] = []): string =>
  [`${line} HTTP/1.1`, 'Host: localhost', ...headers]
    .map((field) => `${field}\r\n`)
    .join('')
    .concat('\r\n');

/** The body in chunks of the given texts. */
export const chunked = (...chunks: string[]): string =>
  `${chunks.map((chunk) => `${Buffer.byteLength(chunk, 'latin1').toString(16)}\r\n${chunk}\r\n`).join('')}0\r\n\r\n`;

/** Sends one request on a connection of its own and reads its answer. */
export async function sendRaw(port: number, request: string | Buffer): Promise<RawResponse> {
  const connection = await RawConnection.open(port);
  try {
    connection.write(request);
    return await connection.response(request.toString('latin1').split(' ', 1)[0]);
  } finally {
    connection.close();
  }
}

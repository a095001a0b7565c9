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

/** Reads a body out of its framing while it arrives (RFC 9112, section 6). Corrects nothing: the rest is the next message. */
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

  /** @returns what it does not take: part of a line, or what follows the body */
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

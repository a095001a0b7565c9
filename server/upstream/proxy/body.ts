import type { IncomingMessage, ServerResponse } from 'node:http';
import { finished } from 'node:stream';
import { attempt, isUuid, membersOf, text } from '../../../shared/json.ts';

/** The limit of each copied or buffered body. */
const BODY_BYTES = 65_536;
/** A copy grows as bytes arrive, since an announced length must not reserve memory. */
const FIRST_BYTES = 1024;

/**
 * Copies the bodies of requests while they are streamed, without delaying or changing the stream.
 * @param inAllBytes the limit of all copies together; beyond it, no copy is made or grows
 * @returns a function that prepares the copy of one request's body
 */
export function bodyCopies(inAllBytes: number) {
  let inAll = 0;

  return (req: IncomingMessage) => {
    const isTooLong = Number(req.headers['content-length'] ?? 0) > BODY_BYTES;
    let copy: Buffer | undefined = isTooLong ? undefined : Buffer.alloc(0);
    let bytes = 0;

    function drop(): void {
      inAll -= copy?.length ?? 0;
      copy = undefined;
    }

    /** One growing buffer, since a body may arrive byte by byte; undefined if it does not fit. */
    function grow(buffer: Buffer, needed: number): Buffer | undefined {
      if (needed <= buffer.length) return buffer;
      if (needed > BODY_BYTES) return undefined;
      const size = Math.min(BODY_BYTES, Math.max(FIRST_BYTES, 2 ** Math.ceil(Math.log2(needed))));
      if (inAll + size - buffer.length > inAllBytes) return undefined;
      const grown = Buffer.allocUnsafeSlow(size);
      buffer.copy(grown, 0, 0, bytes);
      inAll += size - buffer.length;
      return grown;
    }

    function add(chunk: Buffer): void {
      const grown = copy && grow(copy, bytes + chunk.length);
      if (grown === undefined) drop();
      else {
        copy = grown;
        chunk.copy(copy, bytes);
        bytes += chunk.length;
      }
    }

    return {
      /** Must be called just before the stream begins, since listening makes the body flow. */
      begin: () => void req.on('data', add),
      /** Ends the copy, frees its memory, and returns what has arrived; undefined if there is no copy. */
      take(): Buffer | undefined {
        const taken = copy?.subarray(0, bytes);
        drop();
        return taken;
      },
    };
  };
}

/** Where a body goes: the response itself, or a buffer until the response may be sent. */
export interface ResponseWriter {
  /** @returns false if the caller must wait for `drain` */
  write(chunk: Buffer): boolean;
  once(event: 'drain', listener: () => void): unknown;
  end(lastChunk?: Buffer): unknown;
  /** Sends the head before the body arrives. */
  flushHeaders(): void;
}

/**
 * Holds responses back until they are recorded, and buffers their bodies to free the upstream's connections.
 * @param inAllBytes the limit of all buffers together; beyond it, bodies wait on those connections
 */
export function bufferUntilRecorded(inAllBytes: number) {
  let inAll = 0;

  return (res: ServerResponse, recorded: Promise<unknown>): ResponseWriter => {
    let buffered: Buffer[] | undefined = [];
    let bytes = 0;
    let ended = false;
    let headWaits = false;
    let resume: (() => void) | undefined;

    function buffer(chunk: Buffer): void {
      buffered?.push(chunk);
      bytes += chunk.length;
      inAll += chunk.length;
    }

    function take(): Buffer[] | undefined {
      const chunks = buffered;
      buffered = undefined;
      inAll -= bytes;
      bytes = 0;
      return chunks;
    }

    function release(): void {
      const chunks = take();
      // The client has disconnected.
      if (chunks === undefined) return;
      const last = ended ? chunks.pop() : undefined;
      let room = true;
      for (const chunk of chunks) room = res.write(chunk);
      if (ended) res.end(last);
      else if (headWaits && chunks.length === 0) res.flushHeaders();
      else if (resume === undefined) return;
      else if (room) resume();
      else res.once('drain', resume);
    }

    res.once('close', take);
    void recorded.then(release);
    return {
      write(chunk) {
        if (buffered === undefined) return res.write(chunk);
        buffer(chunk);
        return bytes < BODY_BYTES && inAll < inAllBytes;
      },
      once(event, listener) {
        if (buffered === undefined) res.once(event, listener);
        else resume = listener;
      },
      end(lastChunk) {
        ended = true;
        if (buffered === undefined) res.end(lastChunk);
        else if (lastChunk !== undefined) buffer(lastChunk);
      },
      flushHeaders() {
        if (buffered === undefined) res.flushHeaders();
        else headWaits = true;
      },
    };
  };
}

/** Six times the size of the response to the largest batch, a thousand identities. */
const BATCH_BYTES = 1024 * 1024;

/**
 * Reads the response to a batch of identities while it is streamed to the client, without delaying or changing it.
 * @param onIds called once with the ids of the written identities; undefined if the response does not contain them, is
 * compressed or too large, or breaks off
 */
export function readBatchIds(incoming: IncomingMessage, onIds: (ids: string[] | undefined) => void): void {
  let chunks: Buffer[] = [];
  let bytes = 0;
  incoming.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > BATCH_BYTES) chunks = [];
    else chunks.push(chunk);
  });
  // A batch that was not read completely is not valid JSON.
  finished(incoming, () => onIds(idsIn(Buffer.concat(chunks).toString('utf8'))));
}

/** Some releases of Kratos return the id of an identity, others the whole identity. */
function idsIn(body: string): string[] | undefined {
  const results = membersOf(attempt(() => JSON.parse(body)))['identities'];
  if (!Array.isArray(results)) return undefined;
  return results
    .map((result) => membersOf(result)['identity'])
    .map((identity) => (typeof identity === 'string' ? identity : text(membersOf(identity)['id'])).toLowerCase())
    .filter(isUuid);
}

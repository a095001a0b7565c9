import type { IncomingMessage, ServerResponse } from 'node:http';
import { isUuid, membersOf, text } from '../../../shared/json.ts';

/** A copy of a request's body, made while it is streamed elsewhere: it neither delays nor changes the stream. */
export interface BodyCopy {
  /** To be called when the stream is about to begin, and not before: listening makes the body flow. */
  begin(): void;
  /** What has arrived, and the end of the copy: its memory is free. Undefined if there is no copy. */
  take(): Buffer | undefined;
}

const EACH_BYTES = 65_536;
/** Grown as bytes arrive, so that nobody takes room by announcing them. */
const FIRST_BYTES = 1024;

const NO_COPY: BodyCopy = { begin() {}, take: () => undefined };

/**
 * @param limits.inAll bytes of all copies together; beyond it, none is made or grows
 * @param limits.each bytes of one body; a longer one is not copied
 * @returns a function that prepares the copy of one request's body
 */
export function bodyCopies(limits: { inAll: number; each?: number }): (req: IncomingMessage) => BodyCopy {
  const { each = EACH_BYTES } = limits;
  let inAll = 0;

  return (req) => {
    if (Number(req.headers['content-length'] ?? 0) > each) return NO_COPY;
    let copy: Buffer | undefined = Buffer.alloc(0);
    let bytes = 0;

    function drop(): void {
      inAll -= copy?.length ?? 0;
      copy = undefined;
    }

    /** One buffer for a body, since a body may come byte by byte. @returns undefined if there is no room */
    function grow(held: Buffer, needed: number): Buffer | undefined {
      if (needed <= held.length) return held;
      if (needed > each) return undefined;
      const size = Math.min(each, Math.max(FIRST_BYTES, 2 ** Math.ceil(Math.log2(needed))));
      if (inAll + size - held.length > limits.inAll) return undefined;
      const grown = Buffer.allocUnsafeSlow(size);
      held.copy(grown, 0, 0, bytes);
      inAll += size - held.length;
      return grown;
    }

    function add(chunk: Buffer): void {
      if (copy === undefined) return;
      const grown = grow(copy, bytes + chunk.length);
      if (grown === undefined) {
        drop();
        return;
      }
      copy = grown;
      chunk.copy(copy, bytes);
      bytes += chunk.length;
    }

    return {
      begin: () => void req.on('data', add),
      take() {
        const taken = copy?.subarray(0, bytes);
        drop();
        return taken;
      },
    };
  };
}

/** A target for a body: the response itself, or a buffer until the response may be sent. */
export interface BodyTaker {
  /** @returns false if the caller must wait for `drain` */
  write(chunk: Buffer): boolean;
  once(event: 'drain', listener: () => void): unknown;
  end(lastChunk?: Buffer): unknown;
  /** Sends the head, since the body keeps it waiting. */
  flushHeaders(): void;
}

/** Buffer per body: enough for nearly all responses to writes. */
const HELD_BYTES = 65_536;
/**
 * @param inAllBytes for all bodies of one upstream; beyond it they wait on the upstream's connections, which are few
 * @returns a function that holds a response back until `ready`, buffering its body to free the upstream's connection
 */
export function heldBodies(inAllBytes: number): (res: ServerResponse, ready: Promise<unknown>) => BodyTaker {
  let inAll = 0;

  return (res, ready) => {
    let held: Buffer[] | undefined = [];
    let bytes = 0;
    let ended = false;
    let headWaits = false;
    let resume: (() => void) | undefined;

    function hold(chunk: Buffer): void {
      held?.push(chunk);
      bytes += chunk.length;
      inAll += chunk.length;
    }

    function taken(): Buffer[] | undefined {
      const chunks = held;
      held = undefined;
      inAll -= bytes;
      bytes = 0;
      return chunks;
    }

    function release(): void {
      const chunks = taken();
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

    res.once('close', taken);
    void ready.then(release);
    return {
      write(chunk) {
        if (held === undefined) return res.write(chunk);
        hold(chunk);
        return bytes < HELD_BYTES && inAll < inAllBytes;
      },
      once(event, listener) {
        if (held === undefined) res.once(event, listener);
        else resume = listener;
      },
      end(lastChunk) {
        ended = true;
        if (held === undefined) res.end(lastChunk);
        else if (lastChunk !== undefined) hold(lastChunk);
      },
      flushHeaders() {
        if (held === undefined) res.flushHeaders();
        else headWaits = true;
      },
    };
  };
}

/** The answer to the largest batch, a thousand identities, has a sixth of this. */
const NOTED_BYTES = 1024 * 1024;

/**
 * Reads along the answer to a batch of identities (`PATCH /admin/identities`) on its way to the client, which it neither
 * delays nor changes.
 * @param noted called once: with the ids of those that were written; undefined if the answer does not say so, is
 * compressed, too large or broken off
 */
export function noteBatchIds(answer: IncomingMessage, noted: (ids: string[] | undefined) => void): void {
  if ((answer.headers['content-encoding'] ?? 'identity') !== 'identity') {
    noted(undefined);
    return;
  }
  let chunks: Buffer[] | undefined = [];
  let bytes = 0;
  const end = (ids: string[] | undefined): void => {
    if (chunks === undefined) return;
    chunks = undefined;
    noted(ids);
  };
  answer.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > NOTED_BYTES) end(undefined);
    else chunks?.push(chunk);
  });
  answer.once('end', () => end(chunks && idsIn(Buffer.concat(chunks).toString('utf8'))));
  answer.once('close', () => end(undefined));
}

/** Kratos names the identity by its id; other releases send it whole. */
function idsIn(body: string): string[] | undefined {
  try {
    const results = membersOf(JSON.parse(body))['identities'];
    if (!Array.isArray(results)) return undefined;
    return results
      .map((result) => membersOf(result)['identity'])
      .map((identity) => (typeof identity === 'string' ? identity : text(membersOf(identity)['id'])).toLowerCase())
      .filter(isUuid);
  } catch {
    return undefined;
  }
}

import type { ServerResponse } from 'node:http';

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

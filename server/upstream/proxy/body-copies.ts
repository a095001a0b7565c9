import type { IncomingMessage } from 'node:http';

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

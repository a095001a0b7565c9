import { type Claim, fairQueue } from '../../http/fair-queue.ts';

/** One request that needs a connection to an upstream. */
export interface ConnectionClaim extends Claim {
  /** How long its caller has kept the connection busy and hardly moved anything; milliseconds. */
  stalledMs(): number;
  /** Ends the request that holds a connection, so that others get it. */
  cut(): void;
}

/** Shares the connections to one upstream fairly among those who ask for it. */
export interface ConnectionShares {
  /**
   * @param key whose request it is
   * @returns gives the place in the queue up, or the connection; to be called once it is over, whatever happened
   */
  claim(key: string, claim: ConnectionClaim): () => void;
}

export interface ShareLimits {
  connections: number;
  waiting: number;
  waitMs: number;
  /** For others who wait, a request that its caller has stalled for so long may be cut. */
  stalledMs: number;
}

/**
 * A fair queue for connections. While others wait, a key that holds more than half loses the requests that its own
 * callers stall.
 */
export function connectionShares({ connections, waiting, waitMs, stalledMs }: ShareLimits): ConnectionShares {
  const queue = fairQueue<ConnectionClaim>({ places: connections, waiting, waitMs });
  let relieving: NodeJS.Timeout | undefined;

  function relieve(): void {
    if (queue.waiting.size === 0) relieving = void clearInterval(relieving);
    let waits = 0;
    for (const line of queue.waiting.values()) waits += line.length;
    for (const [key, claims] of queue.holding) {
      if (claims.size <= connections / 2) continue;
      const others = waits - (queue.waiting.get(key)?.length ?? 0);
      const stalled = [...claims]
        .filter((claim) => claim.stalledMs() >= stalledMs)
        .sort((a, b) => b.stalledMs() - a.stalledMs());
      for (const claim of stalled.slice(0, others)) claim.cut();
    }
  }

  return {
    claim(key, claim) {
      const giveUp = queue.claim(key, claim);
      if (queue.waiting.size > 0) relieving ??= setInterval(relieve, stalledMs / 4).unref();
      return giveUp;
    },
  };
}

/** One request that needs a connection to an upstream. */
export interface Claim {
  /** It may use a connection now; called within `claim`, or later. */
  granted(): void;
  /** Too many wait, or it has waited too long. */
  refused(): void;
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
  claim(key: string, claim: Claim): () => void;
}

export interface ShareLimits {
  connections: number;
  waiting: number;
  waitMs: number;
  /** For others who wait, a request that its caller has stalled for so long may be cut. */
  stalledMs: number;
}

interface Waiting {
  key: string;
  claim: Claim;
  ticket: number;
  timer: NodeJS.Timeout;
}

/**
 * Nobody is capped: whoever asks gets a free connection. When none is free, requests wait in a queue for each key, and
 * the next connection goes to the key that holds the fewest; of equal ones to the one that has waited longest. A full
 * queue takes a newcomer in at the expense of the key with the most in it. While others wait, a key that holds more than
 * half loses the requests that its own callers stall.
 */
export function connectionShares(limits: ShareLimits): ConnectionShares {
  const holding = new Map<string, Set<Claim>>();
  const queues = new Map<string, Waiting[]>();
  let held = 0;
  let waits = 0;
  let tickets = 0;
  let relieving: NodeJS.Timeout | undefined;

  const holds = (key: string): number => holding.get(key)?.size ?? 0;

  function grant(key: string, claim: Claim): void {
    const claims = holding.get(key) ?? new Set();
    holding.set(key, claims.add(claim));
    held += 1;
    claim.granted();
  }

  function leave(waiting: Waiting): boolean {
    const queue = queues.get(waiting.key) ?? [];
    const index = queue.indexOf(waiting);
    if (index < 0) return false;
    clearTimeout(waiting.timer);
    queue.splice(index, 1);
    if (queue.length === 0) queues.delete(waiting.key);
    waits -= 1;
    if (waits === 0) relieving = void clearInterval(relieving);
    return true;
  }

  function free(key: string, claim: Claim): void {
    const claims = holding.get(key);
    if (!claims?.delete(claim)) return;
    if (claims.size === 0) holding.delete(key);
    held -= 1;
    const next = mostDeserving();
    if (next === undefined) return;
    leave(next);
    grant(next.key, next.claim);
  }

  function mostDeserving(): Waiting | undefined {
    let best: Waiting | undefined;
    for (const [first] of queues.values()) {
      if (first === undefined) continue;
      const fewer = best === undefined ? -1 : holds(first.key) - holds(best.key);
      if (best === undefined || fewer < 0 || (fewer === 0 && first.ticket < best.ticket)) best = first;
    }
    return best;
  }

  /** @returns whether there is room in the queue for one more of this key */
  function makeRoom(key: string): boolean {
    if (waits < limits.waiting) return true;
    const longest = [...queues.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    const latest = longest.at(-1);
    if (latest === undefined || longest.length <= (queues.get(key)?.length ?? 0) + 1) return false;
    leave(latest);
    latest.claim.refused();
    return true;
  }

  function wait(key: string, claim: Claim): Waiting {
    const waiting: Waiting = {
      key,
      claim,
      ticket: tickets++,
      timer: setTimeout(() => {
        if (leave(waiting)) claim.refused();
      }, limits.waitMs),
    };
    queues.set(key, [...(queues.get(key) ?? []), waiting]);
    waits += 1;
    relieving ??= setInterval(relieve, limits.stalledMs / 4);
    return waiting;
  }

  function relieve(): void {
    for (const [key, claims] of holding) {
      if (claims.size <= limits.connections / 2) continue;
      const others = waits - (queues.get(key)?.length ?? 0);
      const stalled = [...claims]
        .filter((claim) => claim.stalledMs() >= limits.stalledMs)
        .sort((a, b) => b.stalledMs() - a.stalledMs());
      for (const claim of stalled.slice(0, others)) claim.cut();
    }
  }

  return {
    claim(key, claim) {
      let waiting: Waiting | undefined;
      if (held < limits.connections) grant(key, claim);
      else if (makeRoom(key)) waiting = wait(key, claim);
      else claim.refused();
      return () => {
        if (waiting === undefined || !leave(waiting)) free(key, claim);
      };
    },
  };
}

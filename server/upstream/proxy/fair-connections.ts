import { type Claim, fairQueue } from '../../http/fair-queue.ts';

/** One request that needs a connection to an upstream. */
export interface ConnectionClaim extends Claim {
  /** How long its caller has kept the connection busy and hardly moved anything; milliseconds. */
  stalledMs(): number;
  /** Ends the request that holds a connection, so that others get it: at once, or soon. */
  cut(): void;
}

/** Shares the connections to one upstream fairly among those who ask for it. */
export interface FairConnections {
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
 * A fair queue for connections. For each request that waits, one is cut that its own caller has stalled: the longest
 * stalled one of all keys that hold more than the waiting key does. However many keys an attacker has, what it stalls is
 * cut for others, and nobody who holds no more than they do loses anything to them.
 */
export function fairConnections({ connections, waiting, waitMs, stalledMs }: ShareLimits): FairConnections {
  const queue = fairQueue<ConnectionClaim>({ places: connections, waiting, waitMs });
  const cut = new WeakSet<ConnectionClaim>();
  let relieving: NodeJS.Timeout | undefined;

  /** Reckons with each key as it will stand once what was cut has ended and gone to those who are next. */
  function relieve(): void {
    if (queue.waiting.size === 0) relieving = void clearInterval(relieving);
    const holds = new Map<string, number>();
    const stalled: { key: string; claim: ConnectionClaim; ms: number }[] = [];
    let onTheirWay = 0;
    for (const [key, claims] of queue.holding) {
      const kept = [...claims].filter((claim) => !cut.has(claim));
      onTheirWay += claims.size - kept.length;
      holds.set(key, kept.length);
      for (const claim of kept) stalled.push({ key, claim, ms: claim.stalledMs() });
    }
    const cuttable = stalled.filter(({ ms }) => ms >= stalledMs).sort((a, b) => b.ms - a.ms);
    const waits = new Map([...queue.waiting].map(([key, { length }]) => [key, length]));
    const count = (key: string): number => holds.get(key) ?? 0;
    while (waits.size > 0) {
      const next = [...waits.keys()].reduce((a, b) => (count(b) < count(a) ? b : a));
      if (onTheirWay > 0) onTheirWay -= 1;
      else {
        const index = cuttable.findIndex(({ key }) => count(key) > count(next));
        const [victim] = index < 0 ? [] : cuttable.splice(index, 1);
        if (victim === undefined) return;
        holds.set(victim.key, count(victim.key) - 1);
        cut.add(victim.claim);
        victim.claim.cut();
      }
      holds.set(next, count(next) + 1);
      const left = (waits.get(next) ?? 0) - 1;
      if (left > 0) waits.set(next, left);
      else waits.delete(next);
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

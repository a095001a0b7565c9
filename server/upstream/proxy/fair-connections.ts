import { type Claim, fairQueue } from '../../http/fair-queue.ts';

/** A request that needs a connection to an upstream. */
export interface ConnectionClaim extends Claim {
  /** How long its client has kept the connection busy without making progress, in milliseconds. */
  stalledMs(): number;
  /** Aborts the request that holds a connection, soon or immediately, so that others get it. */
  cut(): void;
}

/** Shares the connections to one upstream fairly. */
export interface FairConnections {
  /**
   * @param key the key the request counts for
   * @returns gives up the connection, or the place in the queue; must be called at the end in any case
   */
  claim(key: string, claim: ConnectionClaim): () => void;
}

export interface ShareLimits {
  connections: number;
  waiting: number;
  waitMs: number;
  /** How long a client may stall a request before it may be aborted for others. */
  stalledMs: number;
}

/**
 * A fair queue for connections. For each waiting request, one stalled by its own client is aborted: the longest-stalled
 * of all keys that hold more connections than the waiting key. However many keys an attacker has, its stalled requests
 * are aborted for others, and nobody with no more connections than they have loses any.
 */
export function fairConnections({ connections, waiting, waitMs, stalledMs }: ShareLimits): FairConnections {
  const queue = fairQueue<ConnectionClaim>({ places: connections, waiting, waitMs });
  const cut = new WeakSet<ConnectionClaim>();
  let relieving: NodeJS.Timeout | undefined;

  /** Counts each key as it will be once aborted requests have ended and their connections are reassigned. */
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

/** A request for a place. */
export interface Claim {
  /** Called when it gets a place, within `claim` or later. */
  granted(): void;
  /** Called when too many are waiting or it has waited too long, within `claim` or later. */
  refused(): void;
}

export interface QueueLimits {
  places: number;
  /** The maximum number of waiting claims, across all keys. */
  waiting: number;
  waitMs: number;
}

interface Waiting<C> {
  key: string;
  claim: C;
  timer: NodeJS.Timeout;
}

/**
 * Shares a number of places fairly among keys. No key has a limit while places are free. Otherwise claims wait in a
 * queue per key, and the next place goes to the key with the fewest places; equals take turns. If the queue is full, a
 * new claim displaces the latest of the key with the most waiting claims.
 */
export function fairQueue<C extends Claim>(limits: QueueLimits) {
  /** Lists, since V8 lets the entries of a busy Set outlive many collections of garbage. */
  const holding = new Map<string, C[]>();
  /** Ordered by whose turn is next. */
  const queues = new Map<string, Waiting<C>[]>();
  let held = 0;
  let waits = 0;

  const holds = (key: string): number => holding.get(key)?.length ?? 0;

  function grant(key: string, claim: C): void {
    const claims = holding.get(key) ?? [];
    claims.push(claim);
    holding.set(key, claims);
    held += 1;
    claim.granted();
  }

  function leave(waiting: Waiting<C>): boolean {
    const queue = queues.get(waiting.key) ?? [];
    const index = queue.indexOf(waiting);
    if (index < 0) return false;
    clearTimeout(waiting.timer);
    queue.splice(index, 1);
    if (queue.length === 0) queues.delete(waiting.key);
    waits -= 1;
    return true;
  }

  function free(key: string, claim: C): void {
    const claims = holding.get(key) ?? [];
    const index = claims.indexOf(claim);
    if (index < 0) return;
    claims.splice(index, 1);
    if (claims.length === 0) holding.delete(key);
    held -= 1;
    const next = nextInTurn();
    if (next === undefined) return;
    leave(next);
    const others = queues.get(next.key);
    if (others !== undefined && queues.delete(next.key)) queues.set(next.key, others);
    grant(next.key, next.claim);
  }

  function nextInTurn(): Waiting<C> | undefined {
    let best: Waiting<C> | undefined;
    for (const [first] of queues.values()) {
      if (first === undefined) continue;
      if (best === undefined || holds(first.key) < holds(best.key)) best = first;
    }
    return best;
  }

  /** @returns whether the queue has room for one more claim of this key */
  function makeRoom(key: string): boolean {
    if (waits < limits.waiting) return true;
    const longest = [...queues.values()].reduce((a, b) => (b.length > a.length ? b : a), []);
    const latest = longest.at(-1);
    if (latest === undefined || longest.length <= (queues.get(key)?.length ?? 0) + 1) return false;
    leave(latest);
    latest.claim.refused();
    return true;
  }

  function wait(key: string, claim: C): Waiting<C> {
    const waiting: Waiting<C> = {
      key,
      claim,
      timer: setTimeout(() => {
        if (leave(waiting)) claim.refused();
      }, limits.waitMs),
    };
    queues.set(key, [...(queues.get(key) ?? []), waiting]);
    waits += 1;
    return waiting;
  }

  return {
    /**
     * @param key the key the claim counts for
     * @returns a function that gives up the place, or the position in the queue; must always be called at the end
     */
    claim(key: string, claim: C): () => void {
      let waiting: Waiting<C> | undefined;
      if (held < limits.places) grant(key, claim);
      else if (makeRoom(key)) waiting = wait(key, claim);
      else claim.refused();
      return () => {
        if (waiting === undefined || !leave(waiting)) free(key, claim);
      };
    },
    /** Granted claims by key; keys without any are absent. */
    holding: holding as ReadonlyMap<string, readonly C[]>,
    /** Waiting claims by key, in order. */
    waiting: queues as ReadonlyMap<string, readonly unknown[]>,
  };
}

/**
 * Runs work in a fair queue.
 * @param refusal the error if too many are waiting, or it has waited too long
 */
export function turns(limits: QueueLimits, refusal: () => Error) {
  const queue = fairQueue(limits);
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    let leave = (): void => {};
    try {
      await new Promise<void>((granted, reject) => {
        leave = queue.claim(key, { granted, refused: () => reject(refusal()) });
      });
      return await work();
    } finally {
      leave();
    }
  };
}

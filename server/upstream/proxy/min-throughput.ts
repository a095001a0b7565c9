/** Minimum throughput: whoever's turn it is must move at least `bytes` per `ms`. */
export const MIN_THROUGHPUT = { bytes: 30 * 1024, ms: 30_000 };
export type ThroughputLimits = typeof MIN_THROUGHPUT;

/** Measures one party of a transfer. */
export interface Throughput {
  /**
   * @param elapsedMs since the last call
   * @param mustAct whether the transfer is waiting for this party
   * @param moved bytes moved so far
   * @returns how long it has been too slow, in milliseconds; at `ThroughputLimits.ms` it has failed
   */
  observe(elapsedMs: number, mustAct: boolean, moved: number): number;
}

export function throughput(limits: ThroughputLimits): Throughput {
  let mark = 0;
  let slowMs = 0;
  return {
    observe(elapsedMs, mustAct, moved) {
      if (moved - mark >= limits.bytes) {
        mark = moved;
        slowMs = 0;
      } else if (mustAct) slowMs += elapsedMs;
      return slowMs;
    },
  };
}

/** Something that a ticker calls. */
export interface Ticked {
  /** @param elapsedMs since the last tick */
  tick(elapsedMs: number): void;
}

/** Shares one timer among all that are watched; stopped while there are none. */
export interface Ticker {
  milliseconds: number;
  add(watched: Ticked): void;
  remove(watched: Ticked): void;
}

/** A tick that comes later counts as so many: the process was busy or stopped, not its clients. */
const LATE_TICKS = 10;

export function ticker(milliseconds: number): Ticker {
  const all = new Set<Ticked>();
  let timer: NodeJS.Timeout | undefined;
  let last = 0;

  function tick(): void {
    if (all.size === 0) {
      clearInterval(timer);
      timer = undefined;
      return;
    }
    const now = performance.now();
    const elapsedMs = Math.min(now - last, milliseconds * LATE_TICKS);
    last = now;
    for (const watched of all) watched.tick(elapsedMs);
  }

  return {
    milliseconds,
    add(watched) {
      all.add(watched);
      if (timer !== undefined) return;
      last = performance.now();
      timer = setInterval(tick, milliseconds).unref();
    },
    remove: (watched) => void all.delete(watched),
  };
}

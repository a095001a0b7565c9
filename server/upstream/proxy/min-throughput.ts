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

/** Shares one timer among all watched transfers; stopped while there are none. */
export interface Ticker {
  /** @returns stops the calls */
  each(call: (elapsedMs: number) => void): () => void;
}

export function ticker(milliseconds: number): Ticker {
  const calls = new Set<(elapsedMs: number) => void>();
  let timer: NodeJS.Timeout | undefined;
  return {
    each(call) {
      calls.add(call);
      timer ??= setInterval(() => {
        for (const call of calls) call(milliseconds);
      }, milliseconds).unref();
      return () => {
        calls.delete(call);
        if (calls.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
  };
}

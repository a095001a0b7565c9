/** Whoever must act moves at least so many bytes in any such time. */
export const MIN_THROUGHPUT = { bytes: 30 * 1024, ms: 30_000 };
export type ThroughputLimits = typeof MIN_THROUGHPUT;

/** Watches one party of a transfer. */
export interface Throughput {
  /**
   * @param elapsedMs since the last call
   * @param mustAct whether the transfer waits for this party now
   * @param moved bytes that it has moved so far
   * @returns how long it has acted too slowly, in milliseconds: as far as `ThroughputLimits.ms`, it is too slow
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

/** Calls everybody who watches a transfer every so often; rests while there is nobody. */
export interface Ticker {
  /** @returns ends the calls */
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

import type { Log } from '../../log/log.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';

export interface Reading<T> {
  /** Rejects with an UpstreamFailure. */
  done: Promise<T>;
  /** The partial result so far, in the same form; undefined if there is none. */
  soFar(): T | undefined;
}

export interface StaleWhileRevalidate<T> {
  /**
   * The last result. If none is usable, waits for one; if that takes too long or fails midway, resolves with the
   * partial result.
   * @throws UpstreamFailure if there is no result at all
   */
  get(): Promise<T>;
  stop(): void;
}

/** After a failure, repeated calls must not wear out the upstream. */
const RETRY_MS = 5_000;

/**
 * Stale-while-revalidate: shares one slow read among all callers and serves the last result while it is read again.
 * @param options.begin starts a read; the signal aborts it
 * @param options.freshMs how long a result is served without reading again, from the end of its read
 * @param options.usableMs how old a result may get while a new read runs or fails, from the beginning of its read
 * @param options.waitMs how long callers wait for the first read before they get the partial result
 * @param options.now milliseconds on a monotonic clock
 */
export function staleWhileRevalidate<T>(options: {
  begin: (signal: AbortSignal) => Reading<T>;
  freshMs: number;
  usableMs: number;
  waitMs: number;
  now: () => number;
  log: Log;
  /** What is read, for the log. */
  name: string;
}): StaleWhileRevalidate<T> {
  const { begin, freshMs, usableMs, waitMs, now, log, name } = options;
  const stopping = new AbortController();
  let last: { value: T; freshUntil: number; usableUntil: number } | undefined;
  let running: { startedAt: number; soFar: Reading<T>['soFar']; settled: Promise<void> } | undefined;
  let failure: { error: unknown; retryAt: number } | undefined;

  function refresh(): void {
    if (running !== undefined || (failure !== undefined && now() < failure.retryAt)) return;
    const startedAt = now();
    const usableUntil = startedAt + usableMs;
    const { done, soFar } = begin(stopping.signal);
    const settled = done.then(
      (value) => {
        running = undefined;
        failure = undefined;
        last = { value, freshUntil: now() + freshMs, usableUntil };
      },
      (error: unknown) => {
        running = undefined;
        if (failure === undefined && !stopping.signal.aborted) log.warn({ error }, `${name} cannot be read`);
        failure = { error, retryAt: now() + RETRY_MS };
        if (last !== undefined && now() < last.usableUntil) return;
        const part = soFar();
        if (part !== undefined) last = { value: part, freshUntil: failure.retryAt, usableUntil };
      },
    );
    running = { startedAt, soFar, settled };
  }

  return {
    async get() {
      if (last !== undefined && now() < last.freshUntil) return last.value;
      refresh();
      if (last !== undefined && now() < last.usableUntil) return last.value;
      const reading = running;
      if (reading !== undefined) await within(reading.startedAt + waitMs - now(), reading.settled);
      if (last !== undefined && now() < last.usableUntil) return last.value;
      if (running === undefined) throw failure?.error;
      const part = running.soFar();
      if (part === undefined) throw new UpstreamFailure('timeout');
      return part;
    },
    stop: () => stopping.abort(),
  };
}

/** Resolves with the promise, or after `ms`. */
async function within(ms: number, settled: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(ms, 0));
  });
  await Promise.race([settled, elapsed]);
  clearTimeout(timer);
}

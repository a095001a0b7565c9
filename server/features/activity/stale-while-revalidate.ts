import type { Log } from '../../log/log.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';

/** A reading under way. */
export interface Reading<T> {
  /** Rejects with an UpstreamFailure. */
  done: Promise<T>;
  /** What was read up to now, in the same form; undefined while there is nothing. */
  soFar(): T | undefined;
}

export interface StaleWhileRevalidate<T> {
  /**
   * What was read last. Where nothing usable is at hand it is waited for; when that takes too long, or fails half-way,
   * what was read up to then is the answer.
   * @throws UpstreamFailure when there is nothing at all
   */
  get(): Promise<T>;
  /** Abandons a reading under way. */
  stop(): void;
}

/** Repeated questions do not wear out an upstream that has just failed. */
const RETRY_MS = 5_000;

/**
 * Keeps what takes long to read, reads it once for all who ask, and goes on with it while it is read again.
 * @param options.begin starts a reading, which ends early when the signal says so
 * @param options.freshMs how long it is answered without looking again, counted from the end of its reading
 * @param options.usableMs how old it may become, counted from the beginning of its reading, while a new reading runs or fails
 * @param options.waitMs how long a reading may take before those who wait for the first one get what there is
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

/** Resolves when the promise does, or when the time is over. */
async function within(ms: number, settled: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const elapsed = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(ms, 0));
  });
  await Promise.race([settled, elapsed]);
  clearTimeout(timer);
}

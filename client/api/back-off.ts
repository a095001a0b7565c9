import { ConnectionError, RequestError } from './request-error.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

export interface BackOff {
  /** Ends a wait at once; the work itself has to listen to it as well. */
  signal?: AbortSignal;
  /** Tries in all, the first included. */
  tries?: number;
  /** Called before each wait. */
  onWait?: (wait: { error: Error; milliseconds: number }) => void;
  wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * The server is overloaded or away for the moment: the same request may succeed later. `proxy_error` is what a
 * connection that broke in the middle of an answer comes to.
 */
export const isWorthWaitingFor = (error: unknown): error is ConnectionError | RequestError =>
  error instanceof ConnectionError ||
  (error instanceof RequestError && ([429, 502, 503, 504].includes(error.status) || error.code === 'proxy_error'));

/**
 * Repeats work that failed for the moment, after 1, 2, 4… seconds, or as long as `Retry-After` asks.
 * @throws what the last try threw, and at once whatever is not worth a wait
 */
export async function withBackOff<T>(work: () => Promise<T>, options: BackOff = {}): Promise<T> {
  const { tries = 5, wait = sleep, signal } = options;
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isWorthWaitingFor(error) || tried >= tries || signal?.aborted) throw error;
      const milliseconds = waitAfter(error, tried);
      options.onWait?.({ error, milliseconds });
      await wait(milliseconds, signal);
      if (signal?.aborted) throw error;
    }
  }
}

function waitAfter(error: Error, tried: number): number {
  const asked = error instanceof RequestError ? error.retryAfter : undefined;
  return Math.min(LONGEST_WAIT_MS, asked === undefined ? FIRST_WAIT_MS * 2 ** (tried - 1) : asked * 1_000);
}

/** Resolves after the time, or when the signal fires. */
export function sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, milliseconds);
    signal?.addEventListener('abort', done);
    function done(): void {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    }
  });
}

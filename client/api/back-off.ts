import { ConnectionError, RequestError } from './request-error.ts';

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

export interface BackOff {
  /** Ends a wait at once; the work must listen to it itself. */
  signal?: AbortSignal;
  /** Attempts in total, including the first. */
  tries?: number;
  /** Called before each wait. */
  onWait?: (wait: { error: Error; milliseconds: number }) => void;
  wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * The server is overloaded or temporarily away: the same request may succeed later. `proxy_error` is reported when a
 * connection broke in the middle of a response.
 */
export const isWorthWaitingFor = (error: unknown): error is ConnectionError | RequestError =>
  error instanceof ConnectionError ||
  (error instanceof RequestError && ([429, 502, 503, 504].includes(error.status) || error.code === 'proxy_error'));

/**
 * Retries work after a transient failure, waiting 1, 2, 4… seconds, or as long as `Retry-After` asks.
 * @throws the error of the last attempt, or immediately any error that is not worth retrying
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

/** Resolves after the delay, or as soon as the signal fires. */
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

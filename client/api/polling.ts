import type { QueryState } from '@tanstack/react-query';
import { bodyOf, type ConnectionError, isTransient, RequestError, type RequestOptions, send } from './request.ts';

/** A response with times by the server's clock, and how far that clock is ahead of the browser's. */
export type WithClock<T> = T & { clockAheadMs: number };

/** The `Date` header has only whole seconds, so smaller differences mean nothing. */
export const CLOCK_PRECISION_MS = 2_000;

export async function requestWithClock<T>(path: string, options: RequestOptions = {}): Promise<WithClock<T>> {
  const response = await send(path, options);
  return { ...(await bodyOf<T>(response)), clockAheadMs: clockAheadMs(response) };
}

export function clockAheadMs(response: Response): number {
  const date = Date.parse(response.headers.get('Date') ?? '');
  const ahead = Number.isNaN(date) ? 0 : date - Date.now();
  return Math.abs(ahead) < CLOCK_PRECISION_MS ? 0 : ahead;
}

/** A `refetchInterval` that stops when the session ends: the server audits refused requests. */
export const refreshEvery =
  (milliseconds: number) =>
  ({ state }: { state: { error: Error | null } }): number | false =>
    state.error instanceof RequestError && state.error.status === 401 ? false : milliseconds;

const STILL_READING_MS = 2_000;

/**
 * Like `refreshEvery`, but faster until a complete response arrives, since the service may still be reading. The
 * interval grows each time, since reading may never finish.
 */
export const refreshUntilWhole =
  <T>(milliseconds: number, isWhole: (response: T) => boolean) =>
  ({ state }: { state: QueryState<T, Error> }): number | false => {
    const { data, dataUpdateCount, errorUpdateCount } = state;
    const soon = STILL_READING_MS * (dataUpdateCount + errorUpdateCount);
    const isReady = data !== undefined && isWhole(data);
    return refreshEvery(isReady ? milliseconds : Math.min(soon, milliseconds))({ state });
  };

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 30_000;

export interface BackOff {
  /** Ends a wait at once; the work itself must observe the signal, too. */
  signal?: AbortSignal;
  tries?: number;
  onWait?: (wait: { error: Error; milliseconds: number }) => void;
  wait?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

/**
 * The server may be overloaded or temporarily unavailable, so a retry may succeed. `proxy_error` may mean that a
 * connection broke in the middle of a response.
 */
const isRetryable = (error: unknown): error is ConnectionError | RequestError =>
  isTransient(error) || (error instanceof RequestError && (error.status === 429 || error.code === 'proxy_error'));

/**
 * Retries after transient failures, with delays of 1, 2, 4… seconds or as `Retry-After` says.
 * @throws the error of the last attempt, or any other error immediately
 */
export async function withBackOff<T>(work: () => Promise<T>, options: BackOff = {}): Promise<T> {
  const { tries = 5, wait = sleep, signal } = options;
  for (let tried = 1; ; tried += 1) {
    try {
      return await work();
    } catch (error) {
      if (!isRetryable(error) || tried >= tries || signal?.aborted) throw error;
      const milliseconds = waitAfter(error, tried);
      options.onWait?.({ error, milliseconds });
      await wait(milliseconds, signal);
      if (signal?.aborted) throw error;
    }
  }
}

function waitAfter(error: Error, tried: number): number {
  const seconds = error instanceof RequestError ? error.retryAfter : undefined;
  return Math.min(LONGEST_WAIT_MS, seconds === undefined ? FIRST_WAIT_MS * 2 ** (tried - 1) : seconds * 1_000);
}

/** Resolves after the delay, or as soon as the signal fires. */
export const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, milliseconds);
    signal?.addEventListener('abort', () => resolve(clearTimeout(timer)), { once: true });
  });

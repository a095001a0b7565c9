import type { QueryState } from '@tanstack/react-query';
import { bodyOf, type RequestOptions, send } from './request.ts';
import { RequestError } from './request-error.ts';

/** A response, and how far the server's clock is ahead of this browser's: its times are told by its own clock. */
export type Dated<T> = T & { clockAheadMs: number };

/** `Date` has whole seconds only: a smaller difference means nothing. */
export const CLOCK_PRECISION_MS = 2_000;

export async function requestDated<T>(path: string, options: RequestOptions = {}): Promise<Dated<T>> {
  const response = await send(path, options);
  return { ...(await bodyOf<T>(response)), clockAheadMs: clockAheadMs(response) };
}

export function clockAheadMs(response: Response): number {
  const date = Date.parse(response.headers.get('Date') ?? '');
  const ahead = Number.isNaN(date) ? 0 : date - Date.now();
  return Math.abs(ahead) < CLOCK_PRECISION_MS ? 0 : ahead;
}

/** A `refetchInterval` that stops when the session ends, since refused requests are audited. */
export const refreshEvery =
  (milliseconds: number) =>
  ({ state }: { state: { error: Error | null } }): number | false =>
    state.error instanceof RequestError && state.error.status === 401 ? false : milliseconds;

const UNDER_WAY_MS = 2_000;

/**
 * The same for an answer that may cover more in a moment, because the service is still reading, or has read nothing and
 * fails: sooner, but each time a little later, since that may never end.
 */
export const refreshUntilWhole =
  <T>(milliseconds: number, isWhole: (answer: T) => boolean) =>
  ({ state }: { state: QueryState<T, Error> }): number | false => {
    const { data, dataUpdateCount, errorUpdateCount } = state;
    const soon = UNDER_WAY_MS * (dataUpdateCount + errorUpdateCount);
    const isReady = data !== undefined && isWhole(data);
    return refreshEvery(isReady ? milliseconds : Math.min(soon, milliseconds))({ state });
  };

import { RequestError } from './request-error.ts';

/** A `refetchInterval` that stops when the session ends, since refused requests are audited. */
export const refreshEvery =
  (milliseconds: number) =>
  ({ state }: { state: { error: Error | null } }): number | false =>
    state.error instanceof RequestError && state.error.status === 401 ? false : milliseconds;

import { RequestError } from './request-error.ts';

/** A `refetchInterval` for numbers that are looked at: it ends with the session, whose refusals are recorded. */
export const refreshEvery =
  (milliseconds: number) =>
  ({ state }: { state: { error: Error | null } }): number | false =>
    state.error instanceof RequestError && state.error.status === 401 ? false : milliseconds;

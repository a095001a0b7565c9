import type { UpstreamFailure } from '../upstream/upstream-failure.ts';

/** What is known of a list. Times are milliseconds since the epoch. */
export interface Reading {
  /** When the last whole reading began; undefined before the first has ended. */
  wholeAt: number | undefined;
  /** When the reading began that what is known is a part of; undefined before its first page. */
  partAt: number | undefined;
  /** When the newest were last read, after that. */
  newestAt: number | undefined;
  /** When the reading that is under way began. */
  begunAt: number | undefined;
  /** Since when reading fails, and how. */
  failingSince: number | undefined;
  failure: UpstreamFailure | undefined;
  /** Whether the index had room for all of it. */
  fits: boolean;
  /** When it may be read again, by the monotonic clock. */
  dueAt: number;
}

/** A list of which nothing is known. */
export const nothing = (): Reading => ({
  wholeAt: undefined,
  partAt: undefined,
  newestAt: undefined,
  begunAt: undefined,
  failingSince: undefined,
  failure: undefined,
  fits: true,
  dueAt: Number.NEGATIVE_INFINITY,
});

/** How the store is read. Times in milliseconds, by the monotonic clock. */
export const PACE = {
  /** Between the end of a pass and the next; and if that is brought forward. */
  apartMs: 15 * 60_000,
  broughtForwardMs: 60_000,
  /** Nothing is read while nobody has asked for so long. */
  forgottenMs: 60 * 60_000,
  retryMs: 30_000,
  /** A process that dies holds it for so long; it is renewed after each page and, in pauses, so often. */
  leaseSeconds: 60,
  renewMs: 20_000,
  /** Waited after each page, by the time the page took: half of the store's time, later a tenth. */
  firstPause: 1,
  laterPause: 9,
  /** How often the newest sessions and people are read, if somebody has asked so lately; and on request. */
  newestMs: 30_000,
  newestOnRequestMs: 5_000,
  lookingMs: 120_000,
};

import { setImmediate } from 'node:timers/promises';
import type { Log } from '../../log.ts';
import type { AdminClient, AdminQuery } from '../../upstream/admin-client.ts';
import { type Refreshed, refreshed } from './refreshed.ts';

/** What is made of a list's items, one after the other. */
export interface Tally<T> {
  /** @throws UpstreamFailure for an item that is none */
  add(item: unknown): void;
  /** @param whole whether the list was read to its end. Later items leave what was given out as it is. */
  result(whole: boolean): T;
}

export interface CrawlOptions {
  client: AdminClient;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Milliseconds on a clock that only goes forward. */
  monotonic: () => number;
  log: Log;
}

const WAIT_MS = 8_000;
/** A page with generous traits, metadata and devices. */
const PAGE_MAX_BYTES = 16 * 1024 * 1024;

/**
 * An upstream's list, read page after page, one crawl for all who ask; `refreshed` says how long it is kept.
 * @param list.begin asked anew for each crawl
 * @param list.begin.asOf when it begins, milliseconds since the epoch
 */
export function crawl<T>(
  { client, now, monotonic, log }: CrawlOptions,
  list: {
    path: string;
    query: AdminQuery;
    maxPages: number;
    freshMs: number;
    usableMs: number;
    begin(asOf: number): Promise<Tally<T>>;
  },
): Refreshed<T> {
  return refreshed({
    name: list.path,
    freshMs: list.freshMs,
    usableMs: list.usableMs,
    waitMs: WAIT_MS,
    now: monotonic,
    log,
    begin(signal) {
      const asOf = now();
      let soFar: Tally<T> | undefined;
      async function read(): Promise<T> {
        const tally = await list.begin(asOf);
        let whole = true;
        const limits = { maxPages: list.maxPages, maxBytes: PAGE_MAX_BYTES };
        for await (const page of client.pages(list.path, list.query, limits)) {
          for (const item of page.items) tally.add(item);
          soFar = tally;
          whole = page.nextPageToken === undefined;
          // A page is a piece of work; whoever else waits comes between two of them.
          await setImmediate();
          signal.throwIfAborted();
        }
        return tally.result(whole);
      }
      return { done: read(), soFar: () => soFar?.result(false) };
    },
  });
}

import { setImmediate } from 'node:timers/promises';
import type { Log } from '../../log/log.ts';
import type { AdminClient, AdminQuery } from '../../upstream/admin-client.ts';
import { mostPages, pageSizes } from './page-sizes.ts';
import { type StaleWhileRevalidate, staleWhileRevalidate } from './stale-while-revalidate.ts';

/** Builds a result from a list's items, one at a time. */
export interface Tally<T> {
  /** @throws UpstreamFailure for an invalid item */
  add(item: unknown): void;
  /** @param whole whether the list was read to its end. Items added later do not change a result already returned. */
  result(whole: boolean): T;
}

export interface CrawlOptions {
  client: AdminClient;
  /** Milliseconds since the epoch. */
  now: () => number;
  /** Milliseconds on a monotonic clock. */
  monotonic: () => number;
  log: Log;
}

const WAIT_MS = 8_000;
/** Fits a page with large traits, metadata and device lists. */
const PAGE_MAX_BYTES = 16 * 1024 * 1024;
/** After this many items the event loop gets to handle requests and other upstreams' responses. */
const ITEMS_AT_ONCE = 200;

/**
 * Reads an upstream's list page by page, one crawl for all callers; see `staleWhileRevalidate` for how long it is kept.
 * @param list.begin called for each crawl
 * @param list.begin.asOf when the crawl begins, in milliseconds since the epoch
 */
export function crawl<T>(
  { client, now, monotonic, log }: CrawlOptions,
  list: {
    path: string;
    query?: AdminQuery;
    /** Maximum items per page, and in total. */
    most: { page: number; items: number };
    /** Whether page sizes adapt to the size of the items: the cursor must point to an item, not a page number. */
    fitted: boolean;
    freshMs: number;
    usableMs: number;
    begin(asOf: number): Promise<Tally<T>>;
  },
): StaleWhileRevalidate<T> {
  return staleWhileRevalidate({
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
        const { page_size, ...limits } = sizesOf(list);
        const query = { page_size, ...list.query };
        for await (const page of client.pages(list.path, query, { maxBytes: PAGE_MAX_BYTES, ...limits })) {
          for (const [index, item] of page.items.entries()) {
            tally.add(item);
            if (index % ITEMS_AT_ONCE === ITEMS_AT_ONCE - 1) await setImmediate();
          }
          await setImmediate();
          signal.throwIfAborted();
          soFar = tally;
          whole = page.nextPageToken === undefined;
        }
        return tally.result(whole);
      }
      return { done: read(), soFar: () => soFar?.result(false) };
    },
  });
}

function sizesOf({ most: { page, items }, fitted }: { most: { page: number; items: number }; fitted: boolean }) {
  if (!fitted) return { page_size: page, maxPages: Math.ceil(items / page) };
  const limits = { most: page, items };
  const sizes = pageSizes(limits);
  return { page_size: sizes.first, maxPages: mostPages(limits), sizeAfter: sizes.next };
}

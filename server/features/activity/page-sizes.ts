import type { AdminPage } from '../../upstream/admin-client.ts';

/** The page sizes of one walk through a list. */
export interface PageSizes {
  first: number;
  /** The next page size after `page`; undefined once the limit is reached. */
  next(page: AdminPage): number | undefined;
}

/** Even large items do not hold up other requests in a page this small. */
const LEAST = 50;
/** Parsing this takes some 20 milliseconds, during which the event loop is blocked. */
const PAGE_BYTES = 1024 * 1024;

/** Maximum items per page, and in total. */
interface PageLimits {
  most: number;
  items: number;
}

/** Keeps pages quick to parse, however large the items: each page's size follows from the one before. */
export function pageSizes(limits: PageLimits): PageSizes {
  let left = limits.items;
  return {
    first: Math.min(LEAST, limits.most),
    next({ items, bytes }) {
      left -= items.length;
      if (left <= 0) return undefined;
      const fitting = Math.floor((PAGE_BYTES * items.length) / bytes);
      return Math.min(left, limits.most, Math.max(LEAST, fitting));
    },
  };
}

/** How many pages a walk takes if each page has the minimum size. */
export const mostPages = (limits: PageLimits): number => Math.ceil(limits.items / Math.min(LEAST, limits.most));

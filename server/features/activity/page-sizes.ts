import type { AdminPage } from '../../upstream/admin-client.ts';

/** How large the pages of one walk through a list are. */
export interface PageSizes {
  first: number;
  /** After that page; none when there is enough. */
  next(page: AdminPage): number | undefined;
}

/** An item of a page this small may be large without holding up other requests. */
const LEAST = 50;
/** Parsed in some 20 milliseconds, during which nobody else has a turn. */
const PAGE_BYTES = 1024 * 1024;

/** How many items a page may have, and all pages together. */
interface PageLimits {
  most: number;
  items: number;
}

/**
 * Pages that are parsed in a moment, however large what people keep in their traits: each is as large as the one before
 * it allows.
 */
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

/** The pages of a walk where each has as few items as may be. */
export const mostPages = (limits: PageLimits): number => Math.ceil(limits.items / Math.min(LEAST, limits.most));

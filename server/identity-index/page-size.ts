/** How many items to ask for in the next page of one list. */
export interface PageSize {
  readonly items: number;
  /** A page came: the next holds a megabyte at most, if its items are like these. */
  follow(page: { items: number; bytes: number }): void;
  /** A page took too long. @returns false if a smaller one is not worth trying */
  halve(): boolean;
}

/** Parsing this takes some 20 milliseconds. */
const PAGE_BYTES = 1024 * 1024;

export interface PageSizeLimits {
  first: number;
  least: number;
  most: number;
}

/** More than 250 cost Kratos the square of them, with what it adds to each session. */
export const PAGE_SIZES: PageSizeLimits = { first: 50, least: 25, most: 250 };

/** Some releases of Hydra count pages in their cursor: another size would pass clients over. */
export const CLIENT_PAGE_SIZES: PageSizeLimits = { first: 250, least: 250, most: 250 };

/** Begins small, as nobody knows how large the items are; what has taken too long is not asked for again. */
export function pageSize({ first, least, most }: PageSizeLimits): PageSize {
  let limit = most;
  let size = Math.min(first, most);
  return {
    get items() {
      return size;
    },
    follow({ items, bytes }) {
      if (items === 0) return;
      const fitting = Math.floor((PAGE_BYTES * items) / bytes);
      size = Math.min(limit, Math.max(least, fitting));
    },
    halve() {
      if (size <= least) return false;
      limit = Math.max(Math.floor(size / 2), least);
      size = limit;
      return true;
    },
  };
}

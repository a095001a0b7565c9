/** A list whose pages do not come to an end: rows may be missing. The message says why, as a sentence. */
export class EndlessList extends Error {}

/** Five million rows in pages of 250. */
export const PAGES_MAX = 20_000;

/**
 * Follows the cursors of a list that another service returns in pages.
 * @param most how many pages to read: a service may name one page by ever new cursors
 */
export function pageWalk(most = PAGES_MAX) {
  const followed = new Set<string>();
  let token: string | undefined;
  let wasEmpty = false;
  return {
    /** The cursor of the page to read; undefined for the first. */
    get token() {
      return token;
    },
    /**
     * Called after each page: continues with the next one.
     * @param rows how many it has: two empty pages in a row are the end of a list
     * @param cursor the next page's; undefined if the page names none
     * @returns whether there is a next page
     * @throws EndlessList without continuing, if the cursor is not new, or `most` pages have been read
     */
    next(rows: number, cursor: string | undefined): boolean {
      if (cursor === undefined || (rows === 0 && wasEmpty)) return false;
      if (followed.has(cursor)) throw new EndlessList('The service returned the same page twice.');
      if (followed.size + 1 >= most)
        throw new EndlessList(`The list has more than ${most.toLocaleString('en-US')} pages.`);
      followed.add(cursor);
      token = cursor;
      wasEmpty = rows === 0;
      return true;
    },
  };
}

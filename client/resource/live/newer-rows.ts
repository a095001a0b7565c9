/** What tells a row of a list that is newest first from those that came before and after it. */
export interface RowMark {
  id: string;
  /** Milliseconds since the epoch, or whatever else grows from row to row. */
  at: number;
}

/** The first rows of a list as they are now. */
export interface FirstRows {
  marks: readonly RowMark[];
  /** The list has more than these. */
  more: boolean;
}

/**
 * How many rows came since a list was read.
 * @param read the first page on screen @param now what the same list begins with now
 * @returns `isLeast`: all that was asked for is new, and there is more
 */
export function newerRows(read: readonly RowMark[], now: FirstRows): { count: number; isLeast: boolean } {
  const known = new Set(read.map(({ id }) => id));
  const newest = read[0]?.at ?? Number.NEGATIVE_INFINITY;
  // A row that follows one that was deleted is unknown, too, but older.
  const end = now.marks.findIndex(({ id, at }) => known.has(id) || at < newest);
  return end === -1 ? { count: now.marks.length, isLeast: now.more } : { count: end, isLeast: false };
}

/** "3 new messages", "50+ new messages" */
export const formatNewer = (count: number, isLeast: boolean, { one, many }: { one: string; many: string }): string =>
  `${count}${isLeast ? '+' : ''} new ${count === 1 && !isLeast ? one : many}`;

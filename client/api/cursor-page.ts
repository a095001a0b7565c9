/** A page of a list that is walked by cursors, whatever its resource and its service. */
export interface CursorPage<T> {
  rows: readonly T[];
  /** The cursor of the page after this one; undefined on the last. */
  next: string | undefined;
}

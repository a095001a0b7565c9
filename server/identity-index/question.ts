/** From inclusive, to exclusive: milliseconds since the epoch. */
export interface Period {
  from?: number | undefined;
  to?: number | undefined;
}

export type SortedBy = 'created' | 'updated' | 'identifier' | 'last_session';

/** What is asked of the index; absent members do not filter. */
export interface Question {
  /** Folded text: any part of one of a person's texts, the beginning of one if it has fewer than three characters. */
  text?: string | undefined;
  active?: boolean | undefined;
  schemaId?: string | undefined;
  verified?: boolean | undefined;
  created?: Period | undefined;
  updated?: Period | undefined;
  /** Of the last session that is known; `none` for people without one, `orNone` for these as well. */
  lastSession?: (Period & { orNone?: boolean | undefined }) | 'none' | undefined;
}

export interface Order {
  by: SortedBy;
  descending: boolean;
}

/** The last row of a page: the next page begins after it, whatever has been written meanwhile. */
export interface Place {
  value: string | number;
  id: string;
}

import type { Period, PersonQuestion } from '../../shared/fits.ts';

export type SortedBy = 'created' | 'updated' | 'identifier' | 'last_session';

/** What is asked of the index; absent members do not filter. */
export interface Question extends PersonQuestion {
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

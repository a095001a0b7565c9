export const QUARTER_MS = 900_000;

/**
 * How many fall into which quarter of an hour, counted from the epoch: each zone's offset is a whole number of them, so that
 * days and hours of any zone can be summed up from these.
 */
export type Quarters = { quarter: number; count: number }[];

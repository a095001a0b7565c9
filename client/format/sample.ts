import { digits } from './counted.ts';

/** `of all 1,202`, `of 20,000 looked at` */
export const formatSample = (sample: number, isAll: boolean): string =>
  isAll ? `of all ${digits(sample)}` : `of ${digits(sample)} looked at`;

/** `of all 1,202 sessions`, `of the latest 20,000 sessions` */
export const formatLatest = (sample: number, truncated: boolean): string =>
  truncated ? `of the latest ${digits(sample)} sessions` : `of all ${digits(sample)} sessions`;

/**
 * A sentence that says first what it is of, where that is not all: `Of 20,000 looked at: 412 new identities today.`
 * @param of one of the two above
 */
export const formatAmong = (of: string, isAll: boolean, sentence: string): string =>
  isAll ? sentence : `O${of.slice(1)}: ${sentence}`;

/** `at least 412 sessions`: how many of a sample are somewhere is a lower bound for all. */
export const formatLeast = (isLeast: boolean, counted: string): string => (isLeast ? `at least ${counted}` : counted);

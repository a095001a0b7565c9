import { counted as countedText, digits } from './counted.ts';

/** `of all 1,202`, `of 20,000 checked` */
export const formatSample = (sample: number, isAll: boolean): string =>
  isAll ? `of all ${digits(sample)}` : `of ${digits(sample)} checked`;

/** `of all 1,202 sessions`, `of the latest 20,000 sessions` */
export const formatLatest = (sample: number, truncated: boolean): string =>
  `of ${truncated ? 'the latest' : 'all'} ${countedText(sample, 'session', 'sessions')}`;

/**
 * Says first what a partial count covers: `Of 20,000 checked: 412 new identities today.`
 * @param of from one of the two functions above
 */
export const formatAmong = (of: string, isAll: boolean, sentence: string): string =>
  isAll ? sentence : `O${of.slice(1)}: ${sentence}`;

/** `at least 412 sessions`: the count in a sample is a lower bound for the total. */
export const formatLeast = (isLeast: boolean, counted: string): string => (isLeast ? `at least ${counted}` : counted);

import { digits } from './counted.ts';

/** `of all 1,202`, `of 20,000 looked at` */
export const sampleInWords = (sample: number, isAll: boolean): string =>
  isAll ? `of all ${digits(sample)}` : `of ${digits(sample)} looked at`;

/** `of all 1,202 sessions`, `of the latest 20,000 sessions` */
export const latestInWords = (sample: number, truncated: boolean): string =>
  truncated ? `of the latest ${digits(sample)} sessions` : `of all ${digits(sample)} sessions`;

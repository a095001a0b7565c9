/** `1,202`. Avoids `Intl`: its first use takes 200 ms on a slow machine, which would delay the first row of a list. */
export const digits = (count: number): string => String(count).replace(/\B(?=(?:\d{3})+$)/g, ',');

/** `1 identity`, `1,202 identities`. */
export const counted = (count: number, one: string, many: string): string =>
  `${digits(count)} ${count === 1 ? one : many}`;

/** `of all 1,202`, `of 20,000 checked` */
export const formatSample = (sample: number, isAll: boolean): string =>
  isAll ? `of all ${digits(sample)}` : `of ${digits(sample)} checked`;

/** `of all 1,202 sessions`, `of the latest 20,000 sessions` */
export const formatLatest = (sample: number, truncated: boolean): string =>
  `of ${truncated ? 'the latest' : 'all'} ${counted(sample, 'session', 'sessions')}`;

/** Puts the scope of a partial count first: `Of 20,000 checked: 412 new identities today.` */
export const formatAmong = (of: string, isAll: boolean, sentence: string): string =>
  isAll ? sentence : `O${of.slice(1)}: ${sentence}`;

/** `at least 412 sessions`: the count in a sample is a lower bound for the total. */
export const formatLeast = (isLeast: boolean, counted: string): string => (isLeast ? `at least ${counted}` : counted);

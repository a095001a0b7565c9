import type { DayCount } from '../../../../shared/dashboard.ts';

/** How many days are drawn. */
export const SPANS = [30, 90, 365] as const;
export type Span = (typeof SPANS)[number];

/** One bar or point: a day or, in a long span, seven days. */
export interface Bucket {
  /** `2026-01-31`: the first day. */
  day: string;
  count: number;
  days: number;
}

/** Longer spans are drawn by week: days would be thinner than a hair. */
const DAYS_DRAWN_MAX = 92;

/** The last days of a series in buckets; the last bucket ends today, the first may hold fewer days. */
export function buckets(series: readonly DayCount[], span: Span): Bucket[] {
  const days = series.slice(-span);
  if (span <= DAYS_DRAWN_MAX) return days.map(({ day, count }) => ({ day, count, days: 1 }));
  const weeks: Bucket[] = [];
  for (let end = days.length; end > 0; end -= 7) {
    const week = days.slice(Math.max(0, end - 7), end);
    weeks.unshift({ day: week[0]?.day ?? '', count: total(week), days: week.length });
  }
  return weeks;
}

export const total = (series: readonly { count: number }[]): number =>
  series.reduce((sum, { count }) => sum + count, 0);

/** `2026-01-31`: the last day in a bucket. */
export function lastDay({ day, days }: Bucket): string {
  const last = dateOf(day);
  last.setUTCDate(last.getUTCDate() + days - 1);
  return last.toISOString().slice(0, 10);
}

const dayFormat = new Intl.DateTimeFormat('en-GB', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
});
const withYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const short = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** A local date without a time is read and written in UTC, so that no time zone shifts it. */
const dateOf = (day: string): Date => new Date(`${day}T00:00:00Z`);

/** `Tue 3 Mar` */
export const formatDay = (day: string): string => dayFormat.format(dateOf(day));
/** `3 Mar` */
export const shortDay = (day: string): string => short.format(dateOf(day));

/** `Tue 3 Mar`, or `the week from 3 Mar 2026`. */
export const formatBucket = ({ day, days }: Bucket): string =>
  days === 1 ? formatDay(day) : `the ${days === 7 ? 'week' : `${days} days`} from ${withYear.format(dateOf(day))}`;

import type { DayCount } from '../../../../shared/dashboard.ts';
import { digits } from '../../../format/counted.ts';
import { total } from './day-series.ts';

const WEEK_DAYS = 7;

/** A count of the last seven days, today included, and of the seven before. */
export interface Week {
  /** `2026-01-31`: the first and the last day that count. */
  from: string;
  to: string;
  count: number;
  before: number;
}

/** @param series days without a gap up to today; undefined without any */
export function lastWeek(series: readonly DayCount[]): Week | undefined {
  const week = series.slice(-WEEK_DAYS);
  const [first, last] = [week[0], week.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return { from: first.day, to: last.day, count: total(week), before: total(series.slice(-2 * WEEK_DAYS, -WEEK_DAYS)) };
}

/** `+12% against the 7 days before`; in words where a percentage would say nothing. */
export function formatChange({ count, before }: Week): string {
  if (count === before) return count === 0 ? 'none in the 7 days before either' : 'as many as in the 7 days before';
  if (before === 0) return 'none in the 7 days before';
  const percent = Math.round((count / before - 1) * 100);
  if (percent === 0) return `slightly ${count > before ? 'more' : 'fewer'} than in the 7 days before`;
  // A minus that is as wide as the plus.
  return `${percent > 0 ? '+' : '−'}${digits(Math.abs(percent))}% against the 7 days before`;
}

/**
 * `412 in the last 7 days, +12% against the 7 days before.` Empty unless all of both weeks is known: the sessions of
 * earlier days may be gone, or were not read.
 * @param isFirstWhole whether everything of the first day is in the series
 */
export function formatWeek(series: readonly DayCount[], isFirstWhole: boolean): string {
  const week = lastWeek(series);
  if (week === undefined || series.length < 2 * WEEK_DAYS + (isFirstWhole ? 0 : 1)) return '';
  return `${digits(week.count)} in the last 7 days, ${formatChange(week)}.`;
}

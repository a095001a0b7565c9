import type { DayCount } from '../../../shared/dashboard.ts';
import { counted, digits } from '../../lib/format-count.ts';
import { formatGrant } from '../../lib/labels.ts';

/** In longer spans, bars for single days would be too thin. */
export const isByWeek = (span: number): boolean => span > 92;

/** One bar or point: a day or, in a long span, seven days. */
export interface Bucket {
  /** The first day: `2026-01-31`. */
  day: string;
  count: number;
  days: number;
}

/** Groups the last days of a series. The last bucket ends today; the first may cover fewer days. */
export function buckets(series: readonly DayCount[], span: number): Bucket[] {
  const days = series.slice(-span);
  if (!isByWeek(span)) return days.map(({ day, count }) => ({ day, count, days: 1 }));
  const weeks: Bucket[] = [];
  for (let end = days.length; end > 0; end -= 7) {
    const week = days.slice(Math.max(0, end - 7), end);
    weeks.unshift({ day: week[0]?.day ?? '', count: total(week), days: week.length });
  }
  return weeks;
}

export const total = (series: readonly { count: number }[]): number =>
  series.reduce((sum, { count }) => sum + count, 0);

/** The last day in a bucket: `2026-01-31`. */
export function lastDay({ day, days }: Bucket): string {
  const last = dateOf(day);
  last.setUTCDate(last.getUTCDate() + days - 1);
  return last.toISOString().slice(0, 10);
}

/** Local dates are parsed and formatted in UTC, so that no time zone shifts them. */
const dateOf = (day: string): Date => new Date(`${day}T00:00:00Z`);

function dayFormat(options: Intl.DateTimeFormatOptions): (day: string) => string {
  const format = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC', ...options });
  return (day) => format.format(dateOf(day));
}
/** `Tue 3 Mar` */
export const formatDay = dayFormat({ weekday: 'short' });
/** `3 Mar` */
export const shortDay = dayFormat({});
const dayOfYear = dayFormat({ year: 'numeric' });

export const formatBucket = ({ day, days }: Bucket): string =>
  days === 1 ? formatDay(day) : `the ${days === 7 ? 'week' : `${days} days`} from ${dayOfYear(day)}`;

/**
 * Counts of the last seven days, including today, and of the seven days before; undefined for an empty series.
 * @param series consecutive days up to today
 */
export function lastWeek(series: readonly DayCount[]) {
  const week = series.slice(-7);
  const [first, last] = [week[0], week.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  return { from: first.day, to: last.day, count: total(week), before: total(series.slice(-14, -7)) };
}

export type Week = NonNullable<ReturnType<typeof lastWeek>>;

/** Smaller counts change by hundreds of percent by chance, and larger factors are hard to read as percentages. */
const COMPARABLE_MIN = 20;
const FACTOR_MAX = 10;

/** `+12%`, or the earlier count where a percentage would be meaningless: `3 before`. */
export function formatChange({ count, before }: { count: number; before: number }): string {
  const percent = Math.round((count / before - 1) * 100);
  if (before < COMPARABLE_MIN || count / before >= FACTOR_MAX || percent === 0) return `${digits(before)} before`;
  // The minus sign is as wide as the plus.
  return `${percent > 0 ? '+' : '−'}${digits(Math.abs(percent))}%`;
}

/**
 * `412 in the last 7 days, +12% compared with the 7 days before.` Empty unless the series covers both weeks: earlier
 * sessions may have been deleted or not read.
 * @param isFirstWhole whether the series covers its whole first day
 */
export function formatWeek(series: readonly DayCount[], isFirstWhole: boolean): string {
  const week = lastWeek(series);
  if (week === undefined || series.length < (isFirstWhole ? 14 : 15)) return '';
  const change = formatChange(week);
  return `${digits(week.count)} in the last 7 days, ${change}${change.endsWith('%') ? ' compared with the 7 days before' : ''}.`;
}

export interface Noun {
  one: string;
  many: string;
  /** What is counted, if not everything that ever existed. */
  among?: string;
}

/** `412 new identities in the last 30 days, 14 a day; most on Tue 3 Mar (41).` */
export function formatDays(series: readonly Bucket[], { one, many, among }: Noun): string {
  const days = series.reduce((sum, bucket) => sum + bucket.days, 0);
  const sum = total(series);
  const within = days === 1 ? 'today' : `in the last ${digits(days)} days`;
  const span = among === undefined ? within : `${within}, ${among}`;
  const most = series.reduce<Bucket | undefined>(
    (best, bucket) => (bucket.count > (best?.count ?? 0) ? bucket : best),
    undefined,
  );
  if (most === undefined) return `No ${many} ${span}.`;
  if (days === 1) return `${counted(sum, one, many)} ${span}.`;
  const average = sum / days;
  const rate = average < 1 ? 'fewer than one a day' : `${digits(Math.round(average))} a day`;
  const on = most.days === 1 ? 'on' : 'in';
  return `${counted(sum, one, many)} ${span}, ${rate}; most ${on} ${formatBucket(most)} (${digits(most.count)}).`;
}

/** `09:00–10:00` */
export const formatHour = (hour: number): string => `${clock(hour)}–${clock((hour + 1) % 24)}`;

const clock = (hour: number): string => `${String(hour).padStart(2, '0')}:00`;

/** `Sessions start most often at 09:00–10:00 (41 of 412 that still exist), least often at 03:00–04:00 (2).` */
export function formatHours(hours: readonly number[]): string {
  const sum = hours.reduce((all, count) => all + count, 0);
  if (sum === 0) return 'There are no sessions.';
  const most = Math.max(...hours);
  const fewest = Math.min(...hours);
  if (most === fewest) return 'Sessions start evenly throughout the day.';
  const at = (count: number): string => formatHour(hours.indexOf(count));
  return `Sessions start most often at ${at(most)} (${digits(most)} of ${digits(sum)} that still exist), least often at ${at(fewest)} (${digits(fewest)}).`;
}

/** A whole percentage that is 0% or 100% only if exact. */
export function percent(part: number, whole: number): string {
  if (whole === 0) return '0%';
  const share = (part / whole) * 100;
  if (part > 0 && share < 1) return 'under 1%';
  if (part < whole && share > 99) return 'over 99%';
  return `${Math.round(share)}%`;
}

/** `customer makes up 82% of the identities, the largest of 3 schemas.` */
export function formatSchemas(shares: readonly { schema_id: string; count: number }[], sample: number): string {
  const [first] = shares;
  if (first === undefined) return 'There are no identities yet.';
  if (shares.length === 1) return `All identities have the schema ${first.schema_id}.`;
  return `${first.schema_id} makes up ${percent(first.count, sample)} of the identities, the largest of ${shares.length} schemas.`;
}

/** `Authorization code is the most common grant; 12 of 14 clients may use it.` */
export function formatGrants(shares: readonly { grant: string; count: number }[], clients: number): string {
  const [first] = shares;
  if (clients === 0) return 'There are no clients yet.';
  if (first === undefined) return `None of the ${counted(clients, 'client', 'clients')} may use a grant.`;
  return `${formatGrant(first.grant)} is the most common grant; ${digits(first.count)} of ${counted(clients, 'client', 'clients')} may use it.`;
}

/** `8,200 of 10,000 identities with an address to verify have verified one.` */
export function formatVerification(verified: number, verifiable: number): string {
  if (verifiable === 0) return 'No identity has an address that can be verified.';
  return `${digits(verified)} of ${counted(verifiable, 'identity', 'identities')} with an address to verify ${verified === 1 ? 'has' : 'have'} verified one.`;
}

import { dayOf } from './format-time.ts';
import { DAY_MS, momentOf, onClock } from './time-zone.ts';

const LAST_DAYS = /^([1-9]\d{0,3})d$/;
/** Two dates as in an `<input type="date">`, either of which may be absent. */
const DAYS = /^([12]\d{3}-\d\d-\d\d)?\.\.([12]\d{3}-\d\d-\d\d)?$/;

/** A period in the URL: the last days, or local dates, either of which may be absent. */
export type Period = { lastDays: number } | { first: Date | undefined; last: Date | undefined };

/** @param text `7d` or `2026-01-01..2026-02-01` @returns undefined for anything else */
export function parsePeriod(text: unknown): Period | undefined {
  if (typeof text !== 'string') return undefined;
  const lastDays = LAST_DAYS.exec(text)?.[1];
  if (lastDays !== undefined) return { lastDays: Number(lastDays) };
  const days = DAYS.exec(text)?.slice(1);
  if (days === undefined || text === '..') return undefined;
  const [first, last] = days.map((day) => (day === undefined ? undefined : midnight(day)));
  if (first === null || last === null || (first && last && first > last)) return undefined;
  return { first, last };
}

/** Start of a day in the operator's time zone; null for an invalid date. */
function midnight(day: string): Date | null {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const start = Date.UTC(year, month - 1, date);
  return new Date(start).toISOString().startsWith(day) ? momentOf(start) : null;
}

/** @param now milliseconds since the epoch @returns ISO 8601; the end is exclusive */
export function timesOf(period: Period, now: number): { from: string | undefined; to: string | undefined } {
  if ('lastDays' in period) return { from: daysBefore(now, period.lastDays), to: undefined };
  const { first, last } = period;
  // The next day's midnight, since a day does not always have 24 hours.
  const end = last && momentOf(Math.floor(onClock(last).getTime() / DAY_MS) * DAY_MS + DAY_MS);
  return { from: first?.toISOString(), to: end?.toISOString() };
}

export const daysBefore = (now: number, days: number): string => new Date(now - days * DAY_MS).toISOString();

const BEFORE_NOW = /^(?:([1-9]\d{0,3})h|(\d{1,4})d)$/;

/**
 * Resolves a relative time: `24h` is 24 hours ago, rounded down to the minute; `1d` is the start of yesterday in the
 * operator's time zone.
 * @param now milliseconds since the epoch @returns ISO 8601; undefined for any other text
 */
export function relativeTime(text: string, now: number): string | undefined {
  const [, hours, days] = BEFORE_NOW.exec(text) ?? [];
  if (hours !== undefined)
    return new Date(Math.floor((now - Number(hours) * 3_600_000) / 60_000) * 60_000).toISOString();
  if (days === undefined) return undefined;
  const today = Math.floor(onClock(new Date(now)).getTime() / DAY_MS);
  return momentOf((today - Number(days)) * DAY_MS).toISOString();
}

/** `in the last 7 days`, `on 5 Jan 2026`, `since 5 Jan 2026`, `until 5 Jan 2026`, `from 5 Jan 2026 to 6 Jan 2026` */
export function formatPeriod(period: Period): string {
  if ('lastDays' in period) return `in the last ${formatDays(period.lastDays)}`;
  const [first, last] = [period.first, period.last].map((day) => day && dayOf(day));
  if (last === undefined) return `since ${first}`;
  if (first === undefined) return `until ${last}`;
  return first === last ? `on ${first}` : `from ${first} to ${last}`;
}

export const formatDays = (days: number): string => (days === 1 ? 'day' : `${days} days`);

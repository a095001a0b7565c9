import { momentOf } from './time-zone.ts';

const LAST_DAYS = /^([1-9]\d{0,3})d$/;
/** Dates as a date field writes them. */
const DAYS = /^([12]\d{3}-\d\d-\d\d)?\.\.([12]\d{3}-\d\d-\d\d)?$/;

/** A period of an address: the last days, or days of the operator's time zone, of which either may be missing. */
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

/** When a day begins in the operator's time zone; null if there is no such day. */
function midnight(day: string): Date | null {
  const [year = 0, month = 0, date = 0] = day.split('-').map(Number);
  const start = Date.UTC(year, month - 1, date);
  return new Date(start).toISOString().startsWith(day) ? momentOf(start) : null;
}

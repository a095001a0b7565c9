import { badRequest } from './errors.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/**
 * Maps times to the local days and hours of a zone. Times are milliseconds since the epoch.
 * @param timeZone a valid name for Intl
 * @param from not later than `to`, and at most a few years before it
 */
export function zoneCalendar(timeZone: string, from: number, to: number) {
  const offsetAt = offsetsOf(timeZone);
  const offsets = new Map<number, number>();
  function offsetAtStart(day: number): number {
    const offset = offsets.get(day) ?? offsetAt(day * DAY_MS);
    offsets.set(day, offset);
    return offset;
  }
  // Intl is slow, and no zone changes its offset twice in a day: it is called for single times on days with a change.
  function local(time: number): number {
    const day = Math.floor(time / DAY_MS);
    const offset = offsetAtStart(day);
    return time + (offset === offsetAtStart(day + 1) ? offset : offsetAt(time));
  }

  const firstDay = Math.floor(local(from) / DAY_MS);
  const lastDay = Math.floor(local(to) / DAY_MS);
  return {
    /** Every local day of the span, `2026-01-31`, oldest first. */
    days: Array.from({ length: lastDay - firstDay + 1 }, (_, index) =>
      new Date((firstDay + index) * DAY_MS).toISOString().slice(0, 10),
    ),
    /** An index in `days`; out of range for a time outside the span. */
    dayOf: (time: number): number => Math.floor(local(time) / DAY_MS) - firstDay,
    hourOf: (time: number): number => Math.floor(local(time) / HOUR_MS) % 24,
  };
}

/** A zone's UTC offset in milliseconds. */
function offsetsOf(timeZone: string): (time: number) => number {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  return (time) => {
    const [month = 1, day, year = 0, ...clock] = format.format(time).match(/\d+/g)?.map(Number) ?? [];
    return Date.UTC(year, month - 1, day, ...clock) - Math.floor(time / 1000) * 1000;
  };
}

/**
 * @returns the canonical name of the zone, UTC by default
 * @throws 400 for a zone unknown to Intl
 */
export function parseTimeZone(value: unknown): string {
  if (value === undefined) return 'UTC';
  try {
    // Newer releases of Node also accept offsets such as +01:00.
    if (typeof value === 'string' && /^[A-Za-z]/.test(value))
      return new Intl.DateTimeFormat('en-US', { timeZone: value }).resolvedOptions().timeZone;
  } catch {}
  throw badRequest('time_zone', 'must be the name of a time zone, such as Europe/Oslo');
}

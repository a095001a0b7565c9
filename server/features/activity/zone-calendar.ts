/** Maps times in milliseconds since the epoch to local days and hours. */
export interface ZoneCalendar {
  /** Every local day of the span, `2026-01-31`, oldest first. */
  days: readonly string[];
  /** @returns the index in `days`; out of range for a time outside the span */
  dayOf(time: number): number;
  /** 0 to 23 */
  hourOf(time: number): number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const WEEK_MS = 7 * DAY_MS;

/**
 * The calendar of a zone over a few years at most. Intl is queried once per week instead of once per time, of which
 * there are many more; no zone changes its offset twice in a week.
 * @param timeZone a name that Intl knows
 * @param from milliseconds since the epoch, not later than `to`
 */
export function zoneCalendar(timeZone: string, from: number, to: number): ZoneCalendar {
  const offsetAt = offsetsOf(timeZone);
  const firstWeek = Math.floor(from / WEEK_MS);
  const weeks = Math.floor(to / WEEK_MS) - firstWeek + 1;
  const offsets = Array.from({ length: weeks + 1 }, (_, index) => offsetAt((firstWeek + index) * WEEK_MS));
  const changes = Array.from({ length: weeks }, (_, index) =>
    offsets[index] === offsets[index + 1] ? undefined : changeWithin((firstWeek + index) * WEEK_MS, offsetAt),
  );
  const local = (time: number): number => {
    const week = Math.min(Math.max(Math.floor(time / WEEK_MS) - firstWeek, 0), weeks - 1);
    const changesAt = changes[week];
    return time + (offsets[changesAt !== undefined && time >= changesAt ? week + 1 : week] ?? 0);
  };

  const firstDay = Math.floor(local(from) / DAY_MS);
  const lastDay = Math.floor(local(to) / DAY_MS);
  return {
    days: Array.from({ length: lastDay - firstDay + 1 }, (_, index) =>
      new Date((firstDay + index) * DAY_MS).toISOString().slice(0, 10),
    ),
    dayOf: (time) => Math.floor(local(time) / DAY_MS) - firstDay,
    hourOf: (time) => Math.floor(local(time) / HOUR_MS) % 24,
  };
}

/** The second, within the week beginning at `start`, at which the offset changes. */
function changeWithin(start: number, offsetAt: (time: number) => number): number {
  const before = offsetAt(start);
  let [early, late] = [start / 1000, (start + WEEK_MS) / 1000];
  while (late - early > 1) {
    const middle = Math.floor((early + late) / 2);
    if (offsetAt(middle * 1000) === before) early = middle;
    else late = middle;
  }
  return late * 1000;
}

/** A zone's UTC offset in milliseconds, for a whole second. */
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
    return Date.UTC(year, month - 1, day, ...clock) - time;
  };
}

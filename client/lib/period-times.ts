import type { Period } from './period.ts';
import { momentOf, onClock } from './time-zone.ts';

const DAY_MS = 86_400_000;

/** @param now milliseconds since the epoch @returns ISO 8601; the end is exclusive */
export function timesOf(period: Period, now: number): { from: string | undefined; to: string | undefined } {
  if ('lastDays' in period) return { from: daysBefore(now, period.lastDays), to: undefined };
  const { first, last } = period;
  // The day after begins when its clocks are back at midnight, which is not always 24 hours later.
  const end = last && momentOf(Math.floor(onClock(last).getTime() / DAY_MS) * DAY_MS + DAY_MS);
  return { from: first?.toISOString(), to: end?.toISOString() };
}

export const daysBefore = (now: number, days: number): string => new Date(now - days * DAY_MS).toISOString();

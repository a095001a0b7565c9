// Worded as `Intl` does in English (see `digits` for why it is not used).
import { minutesAhead, onClock } from '../lib/time-zone.ts';
import { counted } from './counted.ts';

const STEPS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];

/** "2 hours ago", "in 3 days", "yesterday". @param now milliseconds since the epoch */
export function timeAgo(date: Date, now: number): string {
  const seconds = (date.getTime() - now) / 1_000;
  const step = STEPS.find(([, size]) => Math.abs(seconds) >= size);
  if (step === undefined) return 'just now';
  const [unit, size] = step;
  const steps = Math.round(seconds / size);
  if (unit === 'day' && steps === -1) return 'yesterday';
  if (unit === 'day' && steps === 1) return 'tomorrow';
  if ((unit === 'year' || unit === 'month') && Math.abs(steps) === 1) return `${steps < 0 ? 'last' : 'next'} ${unit}`;
  const amount = counted(Math.abs(steps), unit, `${unit}s`);
  return steps < 0 ? `${amount} ago` : `in ${amount}`;
}

/** "31 Jan 2026, 09:00:00 UTC+1", in the operator's time zone. */
export function exactly(date: Date): string {
  const at = onClock(date);
  const time = [at.getUTCHours(), at.getUTCMinutes(), at.getUTCSeconds()].map(twoDigits).join(':');
  return `${dayOf(date)}, ${time} ${offset(minutesAhead(date))}`;
}

/** "21:38", with the day in front if that is not the day of `now`; in the operator's time zone. */
export function timeOfDay(date: Date, now: number): string {
  const at = onClock(date);
  const time = [at.getUTCHours(), at.getUTCMinutes()].map(twoDigits).join(':');
  return dayOf(date) === dayOf(new Date(now)) ? time : `${dayOf(date)}, ${time}`;
}

/** "31 Jan 2026", in the operator's time zone. */
export function dayOf(date: Date): string {
  const at = onClock(date);
  return `${at.getUTCDate()} ${MONTHS[at.getUTCMonth()]} ${at.getUTCFullYear()}`;
}

/** `UTC`, `UTC+1`, `UTC-3:30` */
export function offset(minutes: number): string {
  if (minutes === 0) return 'UTC';
  const ahead = Math.abs(minutes);
  const rest = ahead % 60;
  return `UTC${minutes < 0 ? '-' : '+'}${Math.trunc(ahead / 60)}${rest === 0 ? '' : `:${twoDigits(rest)}`}`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

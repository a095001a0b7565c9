import { counted } from './format-count.ts';
import { minutesAhead, onClock } from './time-zone.ts';

/** `just now`, `40 s ago`, `3 min ago`, `2 h ago`, `3 days ago`; rounded down. */
export function formatAge(milliseconds: number): string {
  const seconds = Math.floor(milliseconds / 1_000);
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)} h ago`;
  const days = Math.floor(seconds / 86_400);
  return `${days} ${days === 1 ? 'day' : 'days'} ago`;
}

const WORDS = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten', 'eleven', 'twelve'];
/** Each unit with its length in milliseconds, and the count from which the next larger unit is used. */
const UNITS = [
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 48],
  ['day', 86_400_000, Number.POSITIVE_INFINITY],
] as const;

/** A number as in a sentence: "two", "13". */
export const inWords = (count: number): string => WORDS[count] ?? String(count);

/** "less than a minute", "four minutes", "13 hours", "three days"; rounded down. */
export function lasting(milliseconds: number): string {
  for (const [unit, size, many] of UNITS) {
    const count = Math.floor(milliseconds / size);
    if (count >= many) continue;
    if (count < 1) break;
    return `${inWords(count)} ${count === 1 ? unit : `${unit}s`}`;
  }
  return 'less than a minute';
}

/**
 * "10:02" for today, otherwise "20 Nov, 10:02" or "20 Nov 2025, 10:02", in the operator's time zone.
 * @param at milliseconds since the epoch, as `now`
 */
export function clockTime(at: number, now: number): string {
  const clock = onClock(new Date(at));
  const time = [clock.getUTCHours(), clock.getUTCMinutes()].map(twoDigits).join(':');
  const [day, today] = [dayOf(new Date(at)), dayOf(new Date(now))];
  if (day === today) return time;
  return `${day.slice(-4) === today.slice(-4) ? day.slice(0, -5) : day}, ${time}`;
}

/** "30 days", "1 hour 30 minutes" */
export function formatSeconds(seconds: number): string {
  let rest = seconds;
  const words = STEPS.slice(2).flatMap(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count === 0 ? [] : [counted(count, unit, `${unit}s`)];
  });
  return words.join(' ') || 'less than a second';
}

/** "since 10:02, four minutes". @param now milliseconds since the epoch, by the same clock as `since` */
export const formatSince = (since: string, now: number): string =>
  `since ${clockTime(Date.parse(since), now)}, ${lasting(now - Date.parse(since))}`;

// The same words as `Intl` in English; `digits` says why `Intl` is not used.

const STEPS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const;
export const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];

/** "2 hours ago", "in 3 days", "yesterday". @param now milliseconds since the epoch */
export function timeAgo(date: Date, now: number): string {
  const seconds = (date.getTime() - now) / 1_000;
  const step = STEPS.find(([, size]) => size > 1 && Math.abs(seconds) >= size);
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

export const twoDigits = (value: number): string => String(value).padStart(2, '0');

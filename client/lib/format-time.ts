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
const DAY_MS = 86_400_000;
/** Of these many of one unit on, the next larger one is used. */
const UNITS = [
  ['minute', 60_000, 60],
  ['hour', 3_600_000, 48],
  ['day', DAY_MS, Number.POSITIVE_INFINITY],
] as const;

/** "two", "13": as in a sentence. */
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

/** "10:02" of today, else "20 Nov, 10:02" or "20 Nov 2025, 10:02". @param now milliseconds since the epoch */
export function clockTime(at: number, now: number): string {
  // In the words, and the time zone, of exact times.
  const split = (time: number): string[] =>
    /^(\d+ \w+) (\d{4}), (\d\d:\d\d)/.exec(exactly(new Date(time)))?.slice(1) ?? [];
  const [day, year, clock] = split(at);
  const [today, thisYear] = split(now);
  if (year !== thisYear) return `${day} ${year}, ${clock}`;
  return day === today ? String(clock) : `${day}, ${clock}`;
}

/** "since 10:02, four minutes". @param now milliseconds since the epoch, by the clock that told `since` */
export const formatSince = (since: string, now: number): string =>
  `since ${clockTime(Date.parse(since), now)}, ${lasting(now - Date.parse(since))}`;

// Worded as `Intl` does in English (see `digits` for why it is not used).

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

/** What somebody wrote into a field for a day or a time: it, as `2026-01-31` or `2026-01-31T09:00`, or what is wrong. */
export type Written = { value: string } | { problem: string };

const FULL_MONTHS = [
  'january',
  'february',
  'march',
  'april',
  'may',
  'june',
  'july',
  'august',
  'september',
  'october',
  'november',
  'december',
];
const IN_WORDS = /^(\d{1,2})\.?\s+([a-z]{3,})\.?,?\s+(\d{4})(?:,?\s+(.+))?$/i;
const IN_DIGITS = /^(\d{4})-(\d\d)-(\d\d)(?:[t\s]\s*(.+))?$/i;
const CLOCK = /^(\d{1,2}):(\d\d)(?::(\d\d)(?:\.(\d{1,3}))?)?$/;

/** `2026-01-31` as "31 Jan 2026", `2026-01-31T09:00` as "31 Jan 2026, 09:00". Any other text is returned unchanged. */
export function writtenTime(value: string): string {
  const [, year, month, day, clock] = IN_DIGITS.exec(value) ?? [];
  const name = MONTHS[Number(month) - 1];
  if (name === undefined) return value;
  return `${Number(day)} ${name} ${year}${clock === undefined ? '' : `, ${clock.replace(/\.0+$/, '')}`}`;
}

/**
 * Reads "31 Jan 2026", "31 January 2026" or "2026-01-31"; with a time behind it if one is asked for, midnight without.
 * @param text '' for no day
 */
export function readWritten(text: string, withTime: boolean): Written {
  const trimmed = text.trim();
  if (trimmed === '') return { value: '' };
  const example = withTime ? '31 Jan 2026, 09:30' : '31 Jan 2026';
  const wrong: Written = { problem: `This is no ${withTime ? 'time' : 'date'}. An example is ${example}.` };
  const parts = partsOf(trimmed);
  if (parts === undefined) return wrong;
  const { year, month, day, clock } = parts;
  if (!withTime && clock !== undefined) return wrong;
  const date = `${String(year).padStart(4, '0')}-${twoDigits(month + 1)}-${twoDigits(day)}`;
  if (year < 1000 || new Date(Date.UTC(year, month, day)).toISOString().slice(0, 10) !== date)
    return { problem: `There is no ${day} ${MONTHS[month] ?? `${month + 1}.`} ${year}.` };
  if (!withTime) return { value: date };
  const [, hours = '0', minutes = '00', seconds, milliseconds] = CLOCK.exec(clock ?? '0:00') ?? [undefined, '24'];
  if (Number(hours) > 23 || Number(minutes) > 59 || Number(seconds ?? 0) > 59)
    return { problem: `There is no time ${clock}. An example is ${example}.` };
  const rest = seconds === undefined ? '' : `:${seconds}${milliseconds === undefined ? '' : `.${milliseconds}`}`;
  return { value: `${date}T${twoDigits(Number(hours))}:${minutes}${rest}` };
}

/** @returns the month counted from 0 */
function partsOf(text: string): { year: number; month: number; day: number; clock: string | undefined } | undefined {
  const words = IN_WORDS.exec(text);
  if (words !== null) {
    const [, day, name = '', year, clock] = words;
    const month = FULL_MONTHS.findIndex((full) => full.startsWith(name.toLowerCase()));
    return month === -1 ? undefined : { year: Number(year), month, day: Number(day), clock };
  }
  const digits = IN_DIGITS.exec(text);
  if (digits === null) return undefined;
  const [, year, month, day, clock] = digits;
  return { year: Number(year), month: Number(month) - 1, day: Number(day), clock };
}

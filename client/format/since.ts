import { exactly } from './english-time.ts';

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

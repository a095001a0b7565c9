import { MONTHS } from './english-time.ts';

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

const twoDigits = (value: number): string => String(value).padStart(2, '0');

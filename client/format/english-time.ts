// Worded as `Intl` does in English (see `digits` for why it is not used).
import { counted } from './counted.ts';

const STEPS = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sept', 'Oct', 'Nov', 'Dec'];

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

/** "31 Jan 2026, 09:00:00", in the browser's time zone. */
export const exactly = (date: Date): string =>
  `${date.getDate()} ${MONTHS[date.getMonth()]} ${date.getFullYear()}, ${[date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':')}`;

const twoDigits = (value: number): string => String(value).padStart(2, '0');

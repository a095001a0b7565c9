import type { Period } from '../lib/period.ts';
import { dayOf } from './english-time.ts';

/** `in the last 7 days`, `on 5 Jan 2026`, `since 5 Jan 2026`, `until 5 Jan 2026`, `from 5 Jan 2026 to 6 Jan 2026` */
export function formatPeriod(period: Period): string {
  if ('lastDays' in period) return `in the last ${formatDays(period.lastDays)}`;
  const [first, last] = [period.first, period.last].map((day) => day && dayOf(day));
  if (last === undefined) return `since ${first}`;
  if (first === undefined) return `until ${last}`;
  return first === last ? `on ${first}` : `from ${first} to ${last}`;
}

export const formatDays = (days: number): string => (days === 1 ? 'day' : `${days} days`);

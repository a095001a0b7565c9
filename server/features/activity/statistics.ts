import {
  type ClientStatistics,
  type DayCount,
  type IdentityStatistics,
  type SessionStatistics,
  STATISTICS_DAYS,
} from '../../../shared/statistics.ts';
import type { ClientSample } from './client-crawl.ts';
import { largestFirst } from './counts.ts';
import type { IdentitySample } from './identity-crawl.ts';
import type { Sessions } from './session-crawl.ts';
import { zoneCalendar } from './zone-calendar.ts';

const SPAN_MS = STATISTICS_DAYS * 86_400_000;

const isoTime = (time: number): string => new Date(time).toISOString();

export function identityStatistics(sample: IdentitySample, timeZone: string): IdentityStatistics {
  const { createdAt, bySchema, asOf, ...numbers } = sample;
  return {
    ...numbers,
    by_schema: largestFirst(bySchema).map(([schema_id, count]) => ({ schema_id, count })),
    created: byDay(createdAt, timeZone, asOf).days,
    as_of: isoTime(asOf),
  };
}

/**
 * Sessions are listed newest first, so sign-ins before the oldest one crawled may be missing: nothing is counted there.
 */
export function sessionStatistics({ rows, truncated, asOf }: Sessions, timeZone: string): SessionStatistics {
  const begun = rows.flatMap(({ issuedAt, authenticatedAt }) => issuedAt ?? authenticatedAt ?? []);
  const since = begun.length === 0 ? undefined : Math.max(least(begun), asOf - SPAN_MS);
  const signIns = rows.flatMap(({ authenticatedAt }) => authenticatedAt ?? []);
  const { days, hours } = byDay(signIns, timeZone, asOf, since);
  return {
    sample: rows.length,
    truncated,
    since: since === undefined ? null : isoTime(since),
    active: rows.filter(({ active, expiresAt }) => active && !(expiresAt !== undefined && expiresAt <= asOf)).length,
    sign_ins: days,
    hours,
    as_of: isoTime(asOf),
  };
}

export const clientStatistics = ({ sample, truncated, byGrant, asOf }: ClientSample): ClientStatistics => ({
  sample,
  truncated,
  by_grant: largestFirst(byGrant).map(([grant, count]) => ({ grant, count })),
  as_of: isoTime(asOf),
});

/**
 * Counts times by local day, from the first day to that of `to`, and by local hour.
 * @param from earlier times are not counted; defaults to the earliest time within the longest span
 */
function byDay(
  times: readonly number[],
  timeZone: string,
  to: number,
  from = Math.max(least(times), to - SPAN_MS),
): { days: DayCount[]; hours: number[] } {
  const hours = Array<number>(24).fill(0);
  if (!(from <= to)) return { days: [], hours };
  const calendar = zoneCalendar(timeZone, from, to);
  const counts = Array<number>(calendar.days.length).fill(0);
  for (const time of times) {
    const day = calendar.dayOf(time);
    // A store's clock may be ahead of ours; a time after today falls on no day here.
    if (time < from || day >= counts.length) continue;
    counts[day] = (counts[day] ?? 0) + 1;
    const hour = calendar.hourOf(time);
    hours[hour] = (hours[hour] ?? 0) + 1;
  }
  return { days: calendar.days.map((day, index) => ({ day, count: counts[index] ?? 0 })), hours };
}

/** Infinity for an empty list. */
const least = (numbers: readonly number[]): number =>
  numbers.reduce((least, number) => Math.min(least, number), Number.POSITIVE_INFINITY);

import {
  type ClientStatistics,
  type DayCount,
  type IdentityStatistics,
  type SessionStatistics,
  STATISTICS_DAYS,
} from '../../../shared/statistics.ts';
import type { Known, Numbers } from '../../identity-index/identity-index.ts';
import { QUARTER_MS, type Quarters } from '../../identity-index/quarters.ts';
import { zoneCalendar } from './zone-calendar.ts';

const SPAN_MS = STATISTICS_DAYS * 86_400_000;

type Counted<Name extends keyof Numbers> = NonNullable<Numbers[Name]>;

const isoTime = (time: number): string => new Date(time).toISOString();

/** @param total how many the store says there are; undefined if it does not */
export function identityStatistics(
  { value, complete, asOf }: Counted<'people'>,
  total: number | undefined,
  timeZone: string,
): IdentityStatistics {
  const { people, verifiable, verified, bySchema, quarters } = value;
  return {
    total: total ?? (complete ? people : null),
    sample: people,
    complete,
    verifiable,
    verified,
    by_schema: largestFirst(bySchema, ({ schemaId }) => schemaId).map(({ schemaId, count }) => ({
      schema_id: schemaId,
      count,
    })),
    created: byDay(quarters, timeZone, asOf).days,
    as_of: isoTime(asOf),
  };
}

/**
 * Sessions are listed newest first, so sign-ins before the oldest one read may be missing: nothing is counted there.
 */
export function sessionStatistics({ value, complete, asOf }: Counted<'sessions'>, timeZone: string): SessionStatistics {
  const since = value.since === 0 ? undefined : Math.max(value.since, asOf - SPAN_MS);
  const { days, hours } = byDay(value.quarters, timeZone, asOf, since);
  return {
    sample: value.sessions,
    truncated: !complete,
    since: since === undefined ? null : isoTime(since),
    active: value.active,
    sign_ins: days,
    hours,
    as_of: isoTime(asOf),
  };
}

export const clientStatistics = ({ value, complete, asOf }: Known<Counted<'clients'>['value']>): ClientStatistics => ({
  sample: value.clients,
  truncated: !complete,
  by_grant: largestFirst(value.byGrant, ({ grant }) => grant),
  as_of: isoTime(asOf),
});

/** By count, then by name. */
const largestFirst = <T extends { count: number }>(counts: readonly T[], nameOf: (one: T) => string): T[] =>
  counts.toSorted((a, b) => b.count - a.count || (nameOf(a) < nameOf(b) ? -1 : 1));

/**
 * Sums up quarters of an hour by local day, from the first day to that of `to`, and by local hour.
 * @param from what is earlier is not counted; defaults to the earliest quarter within the longest span
 */
function byDay(
  quarters: Quarters,
  timeZone: string,
  to: number,
  from = Math.max(earliest(quarters), to - SPAN_MS),
): { days: DayCount[]; hours: number[] } {
  const hours = Array<number>(24).fill(0);
  if (!(from <= to)) return { days: [], hours };
  const calendar = zoneCalendar(timeZone, from, to);
  const counts = Array<number>(calendar.days.length).fill(0);
  for (const { quarter, count } of quarters) {
    if ((quarter + 1) * QUARTER_MS <= from) continue;
    const time = Math.max(quarter * QUARTER_MS, from);
    const day = calendar.dayOf(time);
    // A store's clock may be ahead of ours; a time after today falls on no day here.
    if (day >= counts.length) continue;
    counts[day] = (counts[day] ?? 0) + count;
    const hour = calendar.hourOf(time);
    hours[hour] = (hours[hour] ?? 0) + count;
  }
  return { days: calendar.days.map((day, index) => ({ day, count: counts[index] ?? 0 })), hours };
}

/** Infinity for none. */
const earliest = (quarters: Quarters): number =>
  quarters.reduce((least, { quarter }) => Math.min(least, quarter * QUARTER_MS), Number.POSITIVE_INFINITY);

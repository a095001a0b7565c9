import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClientStatistics,
  type DayCount,
  type IdentityStatistics,
  type SessionStatistics,
  STATISTICS_DAYS,
  type Statistics,
} from '../../shared/dashboard.ts';
import type { IdentityTotal } from '../../shared/identities.ts';
import type { Route } from '../app.ts';
import { BoundedMap } from '../caches.ts';
import type { Context } from '../context.ts';
import { rateLimit } from '../http/limits.ts';
import { readRoutes, sendJsonText } from '../http/response.ts';
import { parseTimeZone, zoneCalendar } from '../http/time-zone.ts';
import { QUARTER_MS, type Quarters, SearchTooLong } from '../search-index/database.ts';
import type { Numbers } from '../search-index/search-index.ts';
import { IndexBusy, NothingIndexed } from '../search-index/thread.ts';
import { sessionOf } from '../session/session-verifier.ts';

const DAY_MS = 86_400_000;

const SPAN_MS = STATISTICS_DAYS * DAY_MS;

type Counted<List extends keyof Numbers> = NonNullable<Numbers[List]>;

const isoTime = (time: number): string => new Date(time).toISOString();

/** @param total the store's own count; undefined if unknown */
export function identityStatistics(
  { value, complete, asOf }: Counted<'identities'>,
  total: number | undefined,
  timeZone: string,
): IdentityStatistics {
  const { identities, verifiable, verified, bySchema, quarters } = value;
  return {
    total: total ?? (complete ? identities : null),
    sample: identities,
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

/** Sign-ins before the oldest session in the index are not counted, since some may be missing. */
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

export const clientStatistics = ({ value, complete, asOf }: Counted<'clients'>): ClientStatistics => ({
  sample: value.clients,
  truncated: !complete,
  by_grant: largestFirst(value.byGrant, ({ grant }) => grant),
  as_of: isoTime(asOf),
});

/** Sorts by count, then by name. */
const largestFirst = <T extends { count: number }>(counts: readonly T[], nameOf: (one: T) => string): T[] =>
  counts.toSorted((a, b) => b.count - a.count || (nameOf(a) < nameOf(b) ? -1 : 1));

/**
 * Sums up quarters of an hour by local day and by local hour.
 * @param from the start of the first day's count; by default, the earliest quarter within the maximum span
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
    // Times after today are not counted, since the store's clock may be ahead of ours.
    if (day >= counts.length) continue;
    counts[day] = (counts[day] ?? 0) + count;
    const hour = calendar.hourOf(time);
    hours[hour] = (hours[hour] ?? 0) + count;
  }
  return { days: calendar.days.map((day, index) => ({ day, count: counts[index] ?? 0 })), hours };
}

/** Infinity if there are none. */
const earliest = (quarters: Quarters): number =>
  quarters.reduce((least, { quarter }) => Math.min(least, quarter * QUARTER_MS), Number.POSITIVE_INFINITY);

/** How many zones are cached; a response has at most about 50 KiB. */
const CACHED_ZONES = 64;
/** How much longer than the index the store's own count may take; the next response has it. */
const COUNT_MS = 300;
/** Computations per session. The app requests one time zone at most once a minute, however many tabs are open. */
const COMPUTED_A_MINUTE = 30;

/**
 * `GET /api/dashboard/statistics`, computed once per requested time zone.
 * @param countIdentities the store's own count
 */
export function statisticsRoutes({ index, clock }: Context, countIdentities: () => Promise<IdentityTotal>): Route[] {
  const computed = rateLimit({ limit: COMPUTED_A_MINUTE, windowMs: 60_000, monotonic: clock.monotonic });
  let cached: { numbers: Numbers; total: number | undefined; bodies: Map<string, string> } | undefined;

  const router = readRoutes({
    '/': async (req, res) => {
      const timeZone = parseTimeZone(req.query['time_zone']);
      // Without the count, the other numbers are still useful.
      const counted = countIdentities()
        .then(({ total }) => total ?? undefined)
        .catch(() => undefined);
      const numbers = await index.numbers().catch(orNothing);
      const total = await Promise.race([counted, sleep(COUNT_MS, undefined, { ref: false })]);
      if (cached?.numbers !== numbers || cached.total !== total)
        cached = { numbers, total, bodies: new BoundedMap(CACHED_ZONES) };
      const { bodies } = cached;
      let body = bodies.get(timeZone);
      if (body === undefined) {
        computed.use(sessionOf(res).sessionId);
        body = JSON.stringify(statisticsOf(numbers, total, timeZone));
        bodies.set(timeZone, body);
      }
      sendJsonText(res, body);
    },
  });
  return [['/api/dashboard/statistics', 'statistics.read', router]];
}

const NOTHING: Numbers = { identities: undefined, sessions: undefined, clients: undefined };

/** Returns no numbers if the index is off, has just started, has failed or is busy; rethrows any other error. */
function orNothing(error: unknown): Numbers {
  if ([NothingIndexed, SearchTooLong, IndexBusy].some((kind) => error instanceof kind)) return NOTHING;
  throw error;
}

/** Unknown parts are null. */
const statisticsOf = (numbers: Numbers, total: number | undefined, zone: string): Statistics => ({
  identities: numbers.identities === undefined ? null : identityStatistics(numbers.identities, total, zone),
  sessions: numbers.sessions === undefined ? null : sessionStatistics(numbers.sessions, zone),
  clients: numbers.clients === undefined ? null : clientStatistics(numbers.clients),
});

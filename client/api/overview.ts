import { queryOptions } from '@tanstack/react-query';
import type { DashboardLayout, Statistics } from '../../shared/dashboard.ts';
import { hasApplications, hasPeople } from '../deployment.ts';
import { zoneName } from '../lib/time-zone.ts';
import { refreshUntilWhole, requestWithClock, type WithClock } from './polling.ts';
import { RequestError, requestWithTag, send, tagOf } from './request.ts';

/** An operator's layout of the overview with its entity tag, unless a proxy drops it. */
export type TaggedLayout = Awaited<ReturnType<typeof findLayout>>;

const PATH = '/api/dashboard/layout';

export const findLayout = (signal?: AbortSignal) => requestWithTag<DashboardLayout>(PATH, { signal });

export const layoutQuery = queryOptions({
  queryKey: ['dashboard-layout'],
  queryFn: ({ signal }) => findLayout(signal),
});

/**
 * Stores the layout if `tag` matches the stored version; without a tag, overwrites any version.
 * @returns the new tag
 * @throws RequestError 412 if the tag does not match
 */
export async function saveLayout(
  layout: TaggedLayout['layout'],
  tag: TaggedLayout['tag'],
): Promise<TaggedLayout['tag']> {
  const response = await send(PATH, { method: 'PUT', body: { layout } satisfies DashboardLayout, ifMatch: tag });
  return tagOf(response);
}

/**
 * The overview's numbers, counted by day and hour in `timeZone`.
 * `isOwnZone`: whether this is the operator's zone, so that days match those in list filters.
 */
export type ZonedStatistics = WithClock<Statistics> & { timeZone: string; isOwnZone: boolean };

const EVERY_MS = 60_000;

/** Whether the service has read everything; until then, the overview refreshes more often. */
const isWhole = ({ identities, sessions, clients }: Statistics): boolean =>
  (!hasPeople() || (identities?.complete === true && sessions?.truncated === false)) &&
  (!hasApplications() || clients?.truncated === false);

/** In the operator's time zone, or in UTC if the server does not know that zone. */
export const statisticsQuery = queryOptions({
  queryKey: ['statistics'],
  async queryFn({ signal }) {
    const timeZone = zoneName();
    return statisticsIn(timeZone, true, signal).catch((error) => {
      if (timeZone !== 'UTC' && error instanceof RequestError && error.status === 400)
        return statisticsIn('UTC', false, signal);
      throw error;
    });
  },
  refetchInterval: refreshUntilWhole<ZonedStatistics>(EVERY_MS, isWhole),
});

async function statisticsIn(timeZone: string, isOwnZone: boolean, signal: AbortSignal): Promise<ZonedStatistics> {
  const path = `/api/dashboard/statistics?${new URLSearchParams({ time_zone: timeZone })}`;
  return { ...(await requestWithClock<Statistics>(path, { signal })), timeZone, isOwnZone };
}

import { queryOptions } from '@tanstack/react-query';
import type { Statistics } from '../../shared/dashboard.ts';
import { zoneName } from '../lib/time-zone.ts';
import { type Dated, refreshUntilWhole, requestDated } from './polled.ts';
import { RequestError } from './request-error.ts';

/**
 * The overview's numbers, by days and hours of this time zone.
 * `isOwnZone`: it is the operator's own, so that its days are those of the lists' filters.
 */
export type ZonedStatistics = Dated<Statistics> & { timeZone: string; isOwnZone: boolean };

const EVERY_MS = 60_000;

/** Whether all of it was read: otherwise the service may know more in a moment. */
const isWhole = ({ identities, sessions, clients }: Statistics): boolean =>
  identities?.complete === true && sessions?.truncated === false && clients?.truncated === false;

/** In the operator's time zone, or UTC if the server does not know it. */
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
  return { ...(await requestDated<Statistics>(path, { signal })), timeZone, isOwnZone };
}

import { queryOptions } from '@tanstack/react-query';
import type { SessionLocations } from '../../shared/locations.ts';
import { refreshUntilWhole, requestDated } from './polled.ts';

/** Where sessions were started. @param days how far back, 1 to 365; omit for all recent sessions */
export interface LocationsQuestion {
  active: boolean;
  days?: number;
}

const EVERY_MS = 60_000;

export const sessionLocationsQuery = ({ active, days }: LocationsQuestion) =>
  queryOptions({
    queryKey: ['session-locations', { active, days }],
    queryFn({ signal }) {
      const parameters = new URLSearchParams();
      if (days !== undefined) parameters.set('days', String(days));
      if (active) parameters.set('active', 'true');
      return requestDated<SessionLocations>(`/api/session-locations?${parameters}`, { signal });
    },
    refetchInterval: refreshUntilWhole<SessionLocations>(EVERY_MS, ({ truncated }) => !truncated),
  });

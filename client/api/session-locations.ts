import { queryOptions } from '@tanstack/react-query';
import type { SessionLocations } from '../../shared/session-locations.ts';
import { requestDated } from './dated.ts';
import { refreshEvery } from './refresh-every.ts';

/** Where sessions were begun. @param days how far back, 1 to 365; absent for all that are looked at */
export interface LocationsQuestion {
  active: boolean;
  days?: number;
}

const EVERY_MS = 60_000;

export const sessionLocationsQuery = ({ active, days }: LocationsQuestion) =>
  queryOptions({
    queryKey: ['session-locations', { active, days }],
    queryFn({ signal }) {
      const asked = new URLSearchParams();
      if (days !== undefined) asked.set('days', String(days));
      if (active) asked.set('active', 'true');
      return requestDated<SessionLocations>(`/api/session-locations?${asked}`, { signal });
    },
    refetchInterval: refreshEvery(EVERY_MS),
  });

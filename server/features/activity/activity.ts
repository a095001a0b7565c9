import type { Router } from 'express';
import type { IdentityTotal } from '../../../shared/identities.ts';
import type { AuditTrail } from '../../audit/trail.ts';
import type { GeoLookup } from '../../geo/geo-lookup.ts';
import { rateLimit } from '../../http/limits.ts';
import type { IdentityIndex } from '../../search-index/index.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { locatedSessionsRouter, sessionLocationsRouter } from './session-locations.ts';
import { statisticsRouter } from './statistics.ts';

/** The app requests one time zone at most once a minute, however many tabs are open. */
const STATISTICS_A_MINUTE = 30;

/** Routes that report activity, all from the index. */
export interface Activity {
  sessionLocations: Router;
  locatedSessions: Router;
  statistics: Router;
}

/**
 * @param options.store the deployment's own
 * @param options.countIdentities how many the store says there are
 * @param options.now milliseconds since the epoch
 * @param options.monotonic milliseconds on a monotonic clock
 */
export function activity(options: {
  index: IdentityIndex;
  store: IdentityStore;
  countIdentities: () => Promise<IdentityTotal>;
  geo: GeoLookup;
  audit: AuditTrail;
  now: () => number;
  monotonic: () => number;
}): Activity {
  const { index, store, countIdentities, geo, audit, now, monotonic } = options;
  const workings = rateLimit({ limit: STATISTICS_A_MINUTE, windowMs: 60_000, monotonic });
  return {
    sessionLocations: sessionLocationsRouter(index, now),
    locatedSessions: locatedSessionsRouter({ index, store, geo, audit, now }),
    statistics: statisticsRouter(index, countIdentities, workings),
  };
}

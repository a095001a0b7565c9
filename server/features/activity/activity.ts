import type { Router } from 'express';
import type { GeoLookup } from '../../geo/geo-lookup.ts';
import { rateLimit } from '../../http/rate-limit.ts';
import type { Log } from '../../log/log.ts';
import type { AdminClient } from '../../upstream/admin-client.ts';
import type { IdentityStore } from '../../upstream/identity-store.ts';
import { clientCrawl } from './client-crawl.ts';
import { identityCrawl } from './identity-crawl.ts';
import { locatedSessionsRouter } from './located-sessions-router.ts';
import { sessionCrawl } from './session-crawl.ts';
import { sessionLocationsRouter } from './session-locations-router.ts';
import { statisticsRouter } from './statistics-router.ts';

/** The app requests one time zone at most once a minute, however many tabs are open. */
const STATISTICS_A_MINUTE = 30;

/** Routes that report activity, based on shared crawls. */
export interface Activity {
  sessionLocations: Router;
  locatedSessions: Router;
  statistics: Router;
  stop(): void;
}

/**
 * @param options.store the deployment's own
 * @param options.now milliseconds since the epoch
 * @param options.monotonic milliseconds on a monotonic clock
 */
export function activity(options: {
  store: IdentityStore;
  oauthAdmin: AdminClient;
  geo: GeoLookup;
  now: () => number;
  monotonic: () => number;
  log: Log;
}): Activity {
  const { store, oauthAdmin, geo, ...clocks } = options;
  const sessions = sessionCrawl({ client: store, ...clocks }, geo);
  const identities = identityCrawl({ client: store, ...clocks }, store.count);
  const clients = clientCrawl({ client: oauthAdmin, ...clocks });
  const workings = rateLimit({ limit: STATISTICS_A_MINUTE, windowMs: 60_000, monotonic: clocks.monotonic });
  return {
    sessionLocations: sessionLocationsRouter(sessions, clocks.now),
    locatedSessions: locatedSessionsRouter(sessions, clocks.now),
    statistics: statisticsRouter({ identities, sessions, clients }, workings),
    stop() {
      for (const crawl of [sessions, identities, clients]) crawl.stop();
    },
  };
}

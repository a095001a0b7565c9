import { Router } from 'express';
import type { SessionLocations } from '../../../shared/session-locations.ts';
import { mapPoints } from '../../geo/map-points.ts';
import type { Place } from '../../geo/place.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import { questionFailed } from '../../upstream/upstream-failure.ts';
import { countOne } from './counts.ts';
import type { Sessions } from './session-crawl.ts';
import { fits, parseSessionFilter, type SessionFilter } from './session-filter.ts';
import type { StaleWhileRevalidate } from './stale-while-revalidate.ts';

/** `GET /api/session-locations`: circles on the map, without addresses and identities. */
export function sessionLocationsRouter(sessions: StaleWhileRevalidate<Sessions>, now: () => number): Router {
  const router = Router({ caseSensitive: true });
  router.get('/', async (req, res) => {
    const filter = parseSessionFilter(req.query);
    const read = await sessions.get().catch((error) => {
      throw questionFailed(error);
    });
    res.json(locations(read, filter, now()));
  });
  router.all('/', methodNotAllowed('GET, HEAD'));
  return router;
}

function locations({ rows, truncated, asOf }: Sessions, filter: SessionFilter, now: number): SessionLocations {
  const counts = new Map<Place, number>();
  let [sessions, unknown] = [0, 0];
  for (const row of rows) {
    if (!fits(row, filter, now)) continue;
    sessions += 1;
    if (row.place === undefined) unknown += 1;
    countOne(counts, row.place);
  }
  return { points: mapPoints(counts), unknown, sessions, truncated, as_of: new Date(asOf).toISOString() };
}

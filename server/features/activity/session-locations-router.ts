import { Router } from 'express';
import type { SessionLocations } from '../../../shared/session-locations.ts';
import { mapPoints } from '../../geo/map-points.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import type { IdentityIndex } from '../../identity-index/identity-index.ts';
import { countFailed } from '../../identity-index/index-failure.ts';
import { sessionOf } from '../../session/current-session.ts';
import { parseSessionFilter, questionAt } from './session-query.ts';

/** Whoever asks for the same within this time gets the same answer. */
const SAME_MS = 10_000;

/** `GET /api/session-locations`: circles on the map, without addresses and identities. */
export function sessionLocationsRouter(index: IdentityIndex, now: () => number): Router {
  const router = Router({ caseSensitive: true });
  router.get('/', async (req, res) => {
    const question = questionAt(parseSessionFilter(req.query), Math.floor(now() / SAME_MS) * SAME_MS);
    const { value, complete, asOf } = await index.places(sessionOf(res).sessionId, question).catch((error) => {
      throw countFailed(error);
    });
    const count = (some: typeof value): number => some.reduce((sum, place) => sum + place.count, 0);
    const answer: SessionLocations = {
      points: mapPoints(value.flatMap(({ place, count }) => (place === undefined ? [] : [[place, count] as const]))),
      unknown: count(value.filter(({ place }) => place === undefined)),
      sessions: count(value),
      truncated: !complete,
      as_of: new Date(asOf).toISOString(),
    };
    res.json(answer);
  });
  router.all('/', methodNotAllowed('GET, HEAD'));
  return router;
}

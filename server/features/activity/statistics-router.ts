import { Router } from 'express';
import type { IdentityTotal } from '../../../shared/identities.ts';
import type { Statistics } from '../../../shared/statistics.ts';
import { badRequest } from '../../http/api-error.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import { sendJsonText } from '../../http/send-json.ts';
import { type IdentityIndex, NothingRead, type Numbers, QuestionTooLong } from '../../identity-index/identity-index.ts';
import { IndexBusy } from '../../identity-index/turns.ts';
import { sessionOf } from '../../session/current-session.ts';
import { clientStatistics, identityStatistics, sessionStatistics } from './statistics.ts';

/** Each response has at most some 50 KiB. */
const ZONES_KEPT = 64;

/**
 * `GET /api/dashboard/statistics`, computed once per requested time zone.
 * @param countIdentities how many the store says there are
 * @param workings how many computations a session may cause
 */
export function statisticsRouter(
  index: IdentityIndex,
  countIdentities: () => Promise<IdentityTotal>,
  workings: RateLimit,
): Router {
  let answered: { numbers: Numbers; total: number | undefined; bodies: Map<string, string> } | undefined;

  const router = Router({ caseSensitive: true });
  router.get('/', async (req, res) => {
    const timeZone = parseTimeZone(req.query['time_zone']);
    const [numbers, total] = await Promise.all([
      index.numbers().catch(nothingKnown),
      // The other numbers are still worth showing.
      countIdentities().then(
        (counted) => counted.total ?? undefined,
        () => undefined,
      ),
    ]);
    if (answered?.numbers !== numbers || answered.total !== total) answered = { numbers, total, bodies: new Map() };
    const { bodies } = answered;
    let body = bodies.get(timeZone);
    if (body === undefined) {
      workings.use(sessionOf(res).sessionId);
      body = JSON.stringify(statisticsOf(numbers, total, timeZone));
      const [oldest] = bodies.keys();
      if (bodies.size >= ZONES_KEPT && oldest !== undefined) bodies.delete(oldest);
      bodies.set(timeZone, body);
    }
    sendJsonText(res, body);
  });
  router.all('/', methodNotAllowed('GET, HEAD'));
  return router;
}

const NOTHING: Numbers = { people: undefined, sessions: undefined, clients: undefined };

/** An index that is only beginning, has failed or is too busy knows nothing now; any other error is thrown. */
function nothingKnown(error: unknown): Numbers {
  if ([NothingRead, QuestionTooLong, IndexBusy].some((known) => error instanceof known)) return NOTHING;
  throw error;
}

/** A part that nothing is known of is null. */
const statisticsOf = ({ people, sessions, clients }: Numbers, total: number | undefined, zone: string): Statistics => ({
  identities: people === undefined ? null : identityStatistics(people, total, zone),
  sessions: sessions === undefined ? null : sessionStatistics(sessions, zone),
  clients: clients === undefined ? null : clientStatistics(clients),
});

/**
 * @returns the canonical name of the zone, UTC by default
 * @throws 400 for a zone unknown to Intl
 */
function parseTimeZone(value: unknown): string {
  if (value === undefined) return 'UTC';
  try {
    // Only names: newer releases of Node also accept offsets such as +01:00.
    if (typeof value === 'string' && /^[A-Za-z]/.test(value))
      return new Intl.DateTimeFormat('en-US', { timeZone: value }).resolvedOptions().timeZone;
  } catch {}
  throw badRequest('time_zone', 'must be the name of a time zone, such as Europe/Oslo');
}

import { setImmediate } from 'node:timers/promises';
import { Router } from 'express';
import type { Statistics } from '../../../shared/statistics.ts';
import { badRequest } from '../../http/api-error.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import type { RateLimit } from '../../http/rate-limit.ts';
import { sendJsonText } from '../../http/send-json.ts';
import { sessionOf } from '../../session/current-session.ts';
import { UpstreamFailure } from '../../upstream/upstream-failure.ts';
import type { ClientSample } from './client-crawl.ts';
import type { IdentitySample } from './identity-crawl.ts';
import type { Sessions } from './session-crawl.ts';
import type { StaleWhileRevalidate } from './stale-while-revalidate.ts';
import { clientStatistics, identityStatistics, sessionStatistics } from './statistics.ts';

/** Each response has at most some 50 KiB. */
const ZONES_KEPT = 64;

/**
 * `GET /api/dashboard/statistics`, computed once per requested time zone.
 * @param workings how many computations a session may cause
 */
export function statisticsRouter(
  crawls: {
    identities: StaleWhileRevalidate<IdentitySample>;
    sessions: StaleWhileRevalidate<Sessions>;
    clients: StaleWhileRevalidate<ClientSample>;
  },
  workings: RateLimit,
): Router {
  const answers = new Map<string, { of: string; body: string }>();

  const router = Router({ caseSensitive: true });
  router.get('/', async (req, res) => {
    const timeZone = parseTimeZone(req.query['time_zone']);
    const [identities, sessions, clients] = await Promise.all([
      known(crawls.identities),
      known(crawls.sessions),
      known(crawls.clients),
    ]);
    // Not the samples themselves, which would then live as long as a cached response.
    const of = JSON.stringify([
      [identities?.asOf, identities?.sample, identities?.complete],
      [sessions?.asOf, sessions?.rows.length, sessions?.truncated],
      [clients?.asOf, clients?.sample, clients?.truncated],
    ]);
    let answer = answers.get(timeZone);
    if (answer?.of !== of) {
      workings.use(sessionOf(res).sessionId);
      const ofIdentities = identities === undefined ? null : identityStatistics(identities, timeZone);
      // Each step works through 20,000 rows; the event loop gets a turn in between.
      await setImmediate();
      const statistics: Statistics = {
        identities: ofIdentities,
        sessions: sessions === undefined ? null : sessionStatistics(sessions, timeZone),
        clients: clients === undefined ? null : clientStatistics(clients),
      };
      answer = { of, body: JSON.stringify(statistics) };
      const [oldest] = answers.keys();
      if (answers.size >= ZONES_KEPT && oldest !== undefined) answers.delete(oldest);
      answers.set(timeZone, answer);
    }
    sendJsonText(res, answer.body);
  });
  router.all('/', methodNotAllowed('GET, HEAD'));
  return router;
}

/** Undefined if an upstream is unavailable: the other numbers are still worth showing. */
async function known<T>(crawl: StaleWhileRevalidate<T>): Promise<T | undefined> {
  try {
    return await crawl.get();
  } catch (error) {
    if (error instanceof UpstreamFailure) return undefined;
    throw error;
  }
}

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

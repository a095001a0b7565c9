import { Router } from 'express';
import type { ServiceName, ServiceState, Services } from '../../../shared/services.ts';
import { ApiError } from '../../http/api-error.ts';
import { methodNotAllowed } from '../../http/method-not-allowed.ts';
import type { ServiceCheck } from './service-checks.ts';

const CACHE_MS = 5_000;

/**
 * `GET /api/services` and `GET /api/services/:name`. Each service is checked at most every five seconds.
 * @param checks in the order of the response
 * @param now milliseconds since the epoch
 * @param monotonic milliseconds on a monotonic clock
 */
export function servicesRouter(
  checks: ReadonlyMap<ServiceName, ServiceCheck>,
  now: () => number,
  monotonic: () => number,
): Router {
  const states = new Map<string, () => Promise<ServiceState>>(
    [...checks].map(([name, check]) => [
      name,
      shared(async () => ({ name, ...(await check()), checked_at: new Date(now()).toISOString() }), monotonic),
    ]),
  );

  const router = Router({ caseSensitive: true });
  router.get('/', async (_req, res) => {
    const answer: Services = { services: await Promise.all([...states.values()].map((state) => state())) };
    res.json(answer);
  });
  router.get('/:name', async (req, res) => {
    const state = states.get(req.params.name);
    if (state === undefined) throw new ApiError('not_found');
    res.json(await state());
  });
  router.all(['/', '/:name'], methodNotAllowed('GET, HEAD'));
  return router;
}

/** Shares one check among all callers while it runs and for five seconds after. */
function shared<T>(check: () => Promise<T>, monotonic: () => number): () => Promise<T> {
  let last: { answer: Promise<T>; until: number } | undefined;
  return () => {
    if (last !== undefined && monotonic() < last.until) return last.answer;
    const current = { answer: check(), until: Number.POSITIVE_INFINITY };
    last = current;
    const ends = (): void => {
      current.until = monotonic() + CACHE_MS;
    };
    current.answer.then(ends, ends);
    return current.answer;
  };
}

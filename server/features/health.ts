import type { Request, RequestHandler, Response } from 'express';
import { cachedFor } from '../caches.ts';
import { ApiError, badRequest } from '../http/errors.ts';

const CACHE_MS = 1000;

/**
 * `GET /api/health`: 200 while the service is working, 503 while it shuts down or the database is unavailable. With
 * `probe=live`, 200 as long as the process responds, even during shutdown or without the database.
 * @param options.ping rejects if the database is unavailable; called at most once a second
 * @param options.now milliseconds on a monotonic clock
 */
export function healthHandler(options: {
  version: string;
  ping: () => Promise<void>;
  isDraining: () => boolean;
  now: () => number;
}): RequestHandler {
  const { isDraining, now } = options;
  const body = JSON.stringify({ status: 'ok', version: options.version });
  const head = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))];
  const ping = (): Promise<boolean> =>
    options.ping().then(
      () => true,
      () => false,
    );
  const isHealthy = cachedFor(CACHE_MS, ping, now);
  const sendOk = (res: Response): void =>
    void res.writeHead(200, head).end(res.req.method === 'HEAD' ? undefined : body);

  return async (req, res) => {
    if (isLivenessProbe(req)) return sendOk(res);
    const healthy = await isHealthy();
    const headers = { 'Retry-After': '5' };
    if (isDraining()) throw new ApiError('service_unavailable', { headers, expected: true });
    if (!healthy) throw new ApiError('service_unavailable', { headers });
    sendOk(res);
  };
}

/** @throws 400 for any probe but `live` */
function isLivenessProbe(req: Request): boolean {
  // Load balancers request the path without a query every second, and parsing one would cost more than the response.
  if (!req.url.includes('?')) return false;
  const { probe } = req.query;
  if (probe !== undefined && probe !== 'live') throw badRequest('probe', 'must be live');
  return probe === 'live';
}

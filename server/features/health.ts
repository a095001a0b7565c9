import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Request, RequestHandler } from 'express';
import { cachedFor } from '../caches.ts';
import { ApiError, badRequest } from '../http/errors.ts';

const CACHE_MS = 1000;

/** What a start or a shutdown needs, in seconds: when a probe is worth repeating. */
const RETRY_AFTER = { 'Retry-After': '5' };

/**
 * `GET /api/health`: 200 while the service is working, 503 while it shuts down or the database is unavailable. With
 * `probe=live`, 200 as long as the process responds, even during start and shutdown or without the database. With
 * `probe=ready`, 200 unless the service starts or shuts down: sessions and proxies work without the database, and a
 * load balancer would remove all replicas at once.
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
  const sendOk = okResponse(options.version);
  const ping = (): Promise<boolean> =>
    options.ping().then(
      () => true,
      () => false,
    );
  const isHealthy = cachedFor(CACHE_MS, ping, now);

  return async (req, res) => {
    const probe = probeOf(req);
    if (probe === 'live') return sendOk(res);
    const healthy = probe === 'ready' || (await isHealthy());
    if (isDraining()) throw unavailable();
    if (!healthy) throw new ApiError('service_unavailable', { headers: RETRY_AFTER });
    sendOk(res);
  };
}

/** @throws 400 for an unknown probe */
function probeOf(req: Request): 'live' | 'ready' | undefined {
  // Load balancers request the path without a query every second, and parsing one would cost more than the response.
  if (!req.url.includes('?')) return undefined;
  const { probe } = req.query;
  if (probe !== undefined && probe !== 'live' && probe !== 'ready') throw badRequest('probe', 'must be live or ready');
  return probe;
}

const unavailable = (): ApiError => new ApiError('service_unavailable', { headers: RETRY_AFTER, expected: true });

/**
 * The response to every request until the service has started: the liveness probe succeeds, so that nothing stops a
 * migration, and everything else is 503.
 * @returns the error to send; undefined if the probe was answered
 */
export function whileStarting(version: string): (req: IncomingMessage, res: ServerResponse) => ApiError | undefined {
  const sendOk = okResponse(version);
  return (req, res) => {
    const isLiveness = req.url === '/api/health?probe=live' && (req.method === 'GET' || req.method === 'HEAD');
    if (!isLiveness) return unavailable();
    sendOk(res);
    return undefined;
  };
}

function okResponse(version: string): (res: ServerResponse) => void {
  const body = JSON.stringify({ status: 'ok', version });
  const head = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))];
  return (res) => void res.writeHead(200, head).end(res.req.method === 'HEAD' ? undefined : body);
}

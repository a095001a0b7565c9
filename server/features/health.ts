import type { Request, RequestHandler, Response } from 'express';
import { ApiError, badRequest } from '../http/errors.ts';

const CACHE_MS = 1000;

/**
 * `GET /api/health`: 200 while the service is working, 503 while it shuts down or the database is unavailable. With
 * `probe=live`, 200 as long as the process responds, whatever the database does and also during shutdown.
 * @param ping rejects if the database is unavailable; called at most once a second
 * @param now milliseconds on a monotonic clock
 */
export function healthHandler(options: {
  version: string;
  ping: () => Promise<void>;
  isDraining: () => boolean;
  now: () => number;
}): RequestHandler {
  const body = JSON.stringify({ status: 'ok', version: options.version });
  let healthy = true;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let underWay: Promise<void> | undefined;

  const check = (): Promise<void> => {
    underWay ??= options
      .ping()
      .then(
        () => true,
        () => false,
      )
      .then((result) => {
        healthy = result;
        checkedAt = options.now();
        underWay = undefined;
      });
    return underWay;
  };

  const head = ['Content-Type', 'application/json', 'Content-Length', String(Buffer.byteLength(body))];
  const isOk = (res: Response): void => void res.writeHead(200, head).end(res.req.method === 'HEAD' ? undefined : body);
  function report(res: Response): void {
    const headers = { 'Retry-After': '5' };
    if (options.isDraining()) throw new ApiError('service_unavailable', { headers, expected: true });
    if (!healthy) throw new ApiError('service_unavailable', { headers });
    isOk(res);
  }
  return (req, res) => {
    if (asksForLife(req)) return isOk(res);
    return options.now() - checkedAt < CACHE_MS ? report(res) : check().then(() => report(res));
  };
}

/** @throws 400 for any probe but `live` */
function asksForLife(req: Request): boolean {
  // Plain health is asked every second; parsing a query would cost more than its answer.
  if (!req.url.includes('?')) return false;
  const { probe } = req.query;
  if (probe !== undefined && probe !== 'live') throw badRequest('probe', 'must be live');
  return probe === 'live';
}

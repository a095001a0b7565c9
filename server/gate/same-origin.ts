import type { IncomingMessage } from 'node:http';
import type { RequestHandler } from 'express';
import { ApiError } from '../http/api-error.ts';
import { isUnsafeMethod } from '../http/safe-methods.ts';

/**
 * Whether a browser says that the request comes from another origin: Fetch Metadata first (W3C), else `Origin`.
 * Requests without either header do not come from a browser's page.
 * @param ownOrigin the public origin; the request's own `Host`, which is served, counts as well
 */
export function isForeign(req: IncomingMessage, ownOrigin: string): boolean {
  const site = req.headers['sec-fetch-site'];
  // A page of ours is called nothing else; what browsers may say one day of another is foreign as well.
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  const { origin, host } = req.headers;
  if (origin === undefined || origin === ownOrigin) return false;
  return host === undefined || (origin !== `http://${host}` && origin !== `https://${host}`);
}

/** 403 for what a page of another origin sends. */
export const foreignRequest = (): ApiError =>
  new ApiError('forbidden', { message: 'Requests from other sites are refused.', hint: null });

/** 403 for an unsafe method that a foreign page sends with an operator's browser. */
export function refuseForeignWrites(ownOrigin: string): RequestHandler {
  return (req, _res, next) => {
    if (isUnsafeMethod(req.method) && isForeign(req, ownOrigin)) next(foreignRequest());
    else next();
  };
}

import type { RequestHandler } from 'express';
import { ApiError } from './api-error.ts';

/**
 * Refuses the methods that a route does not handle; comes last.
 * @param allow the `Allow` header (RFC 9110, section 10.2.1): `GET, HEAD`
 */
export const methodNotAllowed =
  (allow: string): RequestHandler =>
  (_req, _res, next) =>
    next(new ApiError('method_not_allowed', { headers: { Allow: allow } }));

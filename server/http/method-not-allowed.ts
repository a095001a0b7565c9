import type { RequestHandler } from 'express';
import { ApiError } from './api-error.ts';

/**
 * Ends a route whose other methods stand before it.
 * @param allow what the `Allow` header says (RFC 9110, 10.2.1): `GET, HEAD`
 */
export const methodNotAllowed =
  (allow: string): RequestHandler =>
  (_req, _res, next) =>
    next(new ApiError('method_not_allowed', { headers: { Allow: allow } }));

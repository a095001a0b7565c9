import type { ServerResponse } from 'node:http';
import { type RequestHandler, Router } from 'express';
import { methodNotAllowed } from './errors.ts';

/** Handles `GET` and `HEAD` of these paths, and refuses other methods. */
export function readRoutes(handlers: Record<string, RequestHandler>): Router {
  const router = Router({ caseSensitive: true });
  for (const [path, handler] of Object.entries(handlers))
    router.route(path).get(handler).all(methodNotAllowed('GET, HEAD'));
  return router;
}

/**
 * Responds with a JSON body. Express' `res.json` would recompute charset, entity tag and freshness each time.
 * @param tag the entity tag, if any
 */
export const sendJson = (res: ServerResponse, value: unknown, tag?: string): void =>
  sendJsonText(res, JSON.stringify(value), tag);

/** Like `sendJson`, but with a body that is already serialised. */
export function sendJsonText(res: ServerResponse, body: string, tag?: string): void {
  const length = String(Buffer.byteLength(body));
  const headers = ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', length];
  if (tag !== undefined) headers.push('ETag', tag);
  res.writeHead(res.statusCode, headers);
  res.end(res.req.method === 'HEAD' ? undefined : body);
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a request may change something (RFC 9110, section 9.2.1). `TRACE`, which is never served, counts as unsafe.
 */
export const isUnsafeMethod = (method: string | undefined): boolean => !SAFE_METHODS.has(method ?? '');

import type { ServerResponse } from 'node:http';
import { type RequestHandler, Router } from 'express';
import { methodNotAllowed } from './errors.ts';

type Handler = RequestHandler<Record<string, string>>;

/**
 * Handles these methods and paths, and refuses other methods of the paths; `GET` includes `HEAD`. Handlers also receive
 * the parameters of the path where the router is mounted.
 */
export function pathRoutes(
  handlers: Record<`${'GET' | 'POST' | 'PUT' | 'DELETE'} /${string}`, Handler | Handler[]>,
): Router {
  const router = Router({ caseSensitive: true, mergeParams: true });
  const allowed: Record<string, string[]> = {};
  for (const [route, handler] of Object.entries(handlers)) {
    const [method, path] = route.split(' ') as [string, string];
    router[method.toLowerCase() as 'get'](path, handler);
    allowed[path] = [...(allowed[path] ?? []), method === 'GET' ? 'GET, HEAD' : method];
  }
  for (const [path, methods] of Object.entries(allowed)) router.all(path, methodNotAllowed(methods.join(', ')));
  return router;
}

/** The same for paths that are only read. */
export const readRoutes = (handlers: Record<string, Handler>): Router =>
  pathRoutes(Object.fromEntries(Object.entries(handlers).map(([path, handler]) => [`GET ${path}`, handler])));

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

/** Whether a request may change something (RFC 9110, section 9.2.1). `TRACE`, never served, counts as unsafe. */
export const isUnsafeMethod = (method: string | undefined): boolean => !SAFE_METHODS.has(method ?? '');

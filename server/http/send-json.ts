import type { ServerResponse } from 'node:http';

/**
 * Answers 200 with a JSON body. Express' `res.json` would work out each time what never changes: the type's
 * charset, an entity tag, freshness.
 */
export const sendJson = (res: ServerResponse, value: unknown): void => sendJsonText(res, JSON.stringify(value));

/** The same with a body that is JSON already. */
export function sendJsonText(res: ServerResponse, body: string): void {
  res.setHeader('Content-Type', 'application/json; charset=utf-8');
  res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(res.req.method === 'HEAD' ? undefined : body);
}

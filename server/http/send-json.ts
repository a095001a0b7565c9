import type { ServerResponse } from 'node:http';

/** Responds 200 with a JSON body. Express' `res.json` would recompute charset, entity tag and freshness each time. */
export const sendJson = (res: ServerResponse, value: unknown): void => sendJsonText(res, JSON.stringify(value));

/** The same with a body that is already serialised. */
export function sendJsonText(res: ServerResponse, body: string): void {
  const length = String(Buffer.byteLength(body));
  res.writeHead(res.statusCode, ['Content-Type', 'application/json; charset=utf-8', 'Content-Length', length]);
  res.end(res.req.method === 'HEAD' ? undefined : body);
}

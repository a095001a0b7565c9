import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Answer } from './answer.ts';
import { readCall } from './call.ts';
import type { Handler } from './router.ts';
import { ServerPanic } from './server-panic.ts';

/**
 * Turns a function from call to answer into a request handler. A `ServerPanic` breaks the connection.
 * @param failed the response to any other error, and to a body that is too large
 */
export function respondWith(
  answer: Handler,
  failed: (error: unknown, requestId: string | undefined) => Answer,
): RequestListener {
  const answered = async (req: IncomingMessage): Promise<Answer> => {
    try {
      return await answer(await readCall(req));
    } catch (error) {
      if (error instanceof ServerPanic) throw error;
      return failed(error, [req.headers['x-request-id'] ?? []].flat()[0]);
    }
  };
  return (req, res) => {
    answered(req)
      .then((result) => write(res, result, req.method ?? 'GET'))
      .catch(() => res.destroy());
  };
}

/** Go's servers forbid caching of all responses to GET. */
function write(res: ServerResponse, { status, headers, body = '' }: Answer, method: string): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (method === 'GET') res.setHeader('Cache-Control', 'private, no-cache, no-store, must-revalidate');
  res.statusCode = status;
  if (status !== 204) res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(method === 'HEAD' ? undefined : body);
}

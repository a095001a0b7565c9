import type { RequestListener, ServerResponse } from 'node:http';
import { type Answer, text } from './answer.ts';
import { type Call, readCall } from './call.ts';

/** Makes a server's request handler of a function from call to answer. */
export const respondWith =
  (answer: (call: Call) => Promise<Answer>, failed: (error: unknown) => Answer): RequestListener =>
  (req, res) => {
    readCall(req)
      .then(answer)
      .catch((error: unknown) => failed(error))
      .catch(() => text(500, 'Internal Server Error\n'))
      .then((result) => write(res, result, req.method === 'HEAD'))
      .catch(() => res.destroy());
  };

function write(res: ServerResponse, { status, headers, body = '' }: Answer, headOnly: boolean): void {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  res.statusCode = status;
  if (status !== 204) res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(headOnly ? undefined : body);
}

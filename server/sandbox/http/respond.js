import { text } from './answer.js';
import { readCall } from './call.js';
/**
 * Makes a server's request handler of a function from call to answer.
 * @param failed the answer to an error, and to a body that is too large
 */
export const respondWith = (answer, failed) => (req, res) => {
  const requestId = [req.headers['x-request-id'] ?? []].flat()[0];
  readCall(req)
    .then(answer)
    .catch((error) => failed(error, requestId))
    .catch(() => text(500, 'Internal Server Error\n'))
    .then((result) => write(res, result, req.method ?? 'GET'))
    .catch(() => res.destroy());
};
/** Go's servers forbid caching on whatever answers a GET. */
function write(res, { status, headers, body = '' }, method) {
  for (const [name, value] of Object.entries(headers)) res.setHeader(name, value);
  if (method === 'GET') res.setHeader('Cache-Control', 'private, no-cache, no-store, must-revalidate');
  res.statusCode = status;
  if (status !== 204) res.setHeader('Content-Length', Buffer.byteLength(body));
  res.end(method === 'HEAD' ? undefined : body);
}

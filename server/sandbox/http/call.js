import { parseQuery } from '../go/query.js';

const BODY_MAX_BYTES = 5 * 1024 * 1024;
/** The body was longer than the services read. */
export class BodyTooLarge extends Error {}
/** Reads a request whole. @throws BodyTooLarge beyond 5 MiB */
export async function readCall(req) {
  const target = req.url ?? '/';
  const mark = target.indexOf('?');
  const search = mark < 0 ? '' : target.slice(mark + 1);
  const chunks = [];
  let length = 0;
  for await (const chunk of req) {
    length += chunk.length;
    if (length <= BODY_MAX_BYTES) chunks.push(chunk);
  }
  if (length > BODY_MAX_BYTES) throw new BodyTooLarge('http: request body too large');
  const { remoteAddress = '', remotePort = 0 } = req.socket;
  return {
    method: req.method ?? 'GET',
    path: mark < 0 ? target : target.slice(0, mark),
    search,
    query: parseQuery(search),
    params: {},
    headers: req.headers,
    body: Buffer.concat(chunks).toString('utf8'),
    peer: remoteAddress.includes(':') ? `[${remoteAddress}]:${remotePort}` : `${remoteAddress}:${remotePort}`,
  };
}

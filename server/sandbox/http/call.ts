import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { parseQuery } from '../go/query.ts';

export interface Call {
  method: string;
  /** The path as sent, without the query. */
  path: string;
  /** The query as sent, without `?`. */
  search: string;
  query: URLSearchParams;
  params: Record<string, string>;
  headers: IncomingHttpHeaders;
  body: string;
  /** `address:port` of the socket, IPv6 in brackets, in Go's notation. */
  peer: string;
}

const BODY_MAX_BYTES = 5 * 1024 * 1024;

/** The body exceeds the services' limit. */
export class BodyTooLarge extends Error {}

/** Reads a whole request. @throws BodyTooLarge above 5 MiB */
export async function readCall(req: IncomingMessage): Promise<Call> {
  const target = req.url ?? '/';
  const mark = target.indexOf('?');
  const search = mark < 0 ? '' : target.slice(mark + 1);
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of req as AsyncIterable<Buffer>) {
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

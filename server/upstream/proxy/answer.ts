import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Exchange } from './exchange.ts';
import { headersForCaller } from './forwarded-headers.ts';
import type { BodyTaker } from './held-bodies.ts';
import type { OwnAddresses } from './own-addresses.ts';
import type { OwnCookies } from './own-cookies.ts';

/** Proxied responses must not run scripts in our origin, be read by other origins, or be cached. */
const POLICY: readonly [string, string][] = [
  ['Cache-Control', 'no-store'],
  ['Content-Security-Policy', "sandbox allow-forms allow-scripts; frame-ancestors 'none'"],
  ['Cross-Origin-Resource-Policy', 'same-origin'],
  ['X-Content-Type-Options', 'nosniff'],
];

/**
 * Writes status and headers of an upstream's response to the client; the reason phrase is Node's.
 * @param path the request target at the upstream, for relative addresses
 * @returns whether the body may follow: that of a rewritten redirect repeats the old address
 */
export function writeHead(
  answer: IncomingMessage,
  res: ServerResponse,
  path: string,
  rules: { addresses: OwnAddresses; cookies: OwnCookies },
): boolean {
  const status = answer.statusCode ?? 0;
  let redirected = false;
  const headers = headersForCaller(answer.rawHeaders, (name, value) => {
    switch (name) {
      case 'set-cookie':
        return rules.cookies.isSetBy(value) ? undefined : value;
      case 'location':
      case 'content-location': {
        const { reference: passing, redirect } = rules.addresses;
        const reference = (status === 307 && name === 'location' ? redirect : passing)(value, path);
        if (name === 'location' && reference !== value) redirected = status >= 300;
        return reference;
      }
      case 'link':
        return rules.addresses.links(value, path);
      case 'content-length':
        return status === 204 ? undefined : value;
      default:
        return value;
    }
  });
  res.statusCode = status;
  for (const name in headers) res.setHeader(name, headers[name] as string | string[]);
  for (const [name, value] of POLICY) res.setHeader(name, value);
  if (!redirected) return true;
  for (const name of ['Content-Type', 'Content-Encoding', 'Content-Language', 'ETag']) res.removeHeader(name);
  res.setHeader('Content-Length', 0);
  return false;
}

/**
 * Streams the body at the speed of the client.
 * @param taker the response, or a buffer in front of it
 * @param broken called when the upstream breaks off: the client's connection is closed as well, so that nothing looks
 * complete
 */
export function streamBody(
  answer: IncomingMessage,
  res: ServerResponse,
  taker: BodyTaker,
  { clock, finished }: Exchange,
  broken: (error: unknown) => void,
): void {
  let ended = false;
  const cut = (error: unknown): void => {
    if (ended) return;
    ended = true;
    finished();
    answer.destroy();
    // Nothing to do if the client left first. A reset is noticed even by a client that reads until the end (HTTP/1.0).
    if (res.socket === null || res.socket.destroyed) return;
    res.socket.resetAndDestroy();
    broken(error);
  };
  const drained = (): void => {
    clock.touch();
    answer.resume();
  };
  clock.onSilence(() => cut(new Error('no data within the body for too long')));
  answer.on('data', (chunk: Buffer) => {
    clock.touch();
    if (taker.write(chunk)) return;
    clock.hold();
    answer.pause();
    taker.once('drain', drained);
  });
  answer.once('error', cut);
  answer.once('end', () => {
    if (ended) return;
    ended = true;
    finished();
    taker.end();
  });
}

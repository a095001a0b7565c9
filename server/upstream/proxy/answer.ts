import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ChallengeRule } from './challenges.ts';
import type { Exchange } from './exchange.ts';
import { type HeaderList, headersForCaller } from './forwarded-headers.ts';
import type { BodyTaker } from './held-bodies.ts';
import type { OwnAddresses } from './own-addresses.ts';
import type { OwnCookies } from './own-cookies.ts';

/** Proxied responses must not run scripts in our origin, be read by other origins, or be cached. */
const POLICY = [
  'Cache-Control',
  'no-store',
  'Content-Security-Policy',
  "sandbox allow-forms allow-scripts; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy',
  'same-origin',
  'X-Content-Type-Options',
  'nosniff',
];

/** Status and headers of a response for the client; the reason phrase is Node's. */
export interface Head {
  status: number;
  headers: HeaderList;
  /** Already mapped to our prefix. */
  location: string | undefined;
  /** The body of a rewritten redirect repeats the old address: it must not follow. */
  followsBody: boolean;
  /** Bytes of the body; NaN if unknown. */
  length: number;
}

/** @param path the request target at the upstream, for relative addresses */
export function headOf(
  answer: IncomingMessage,
  path: string,
  rules: { addresses: OwnAddresses; cookies: OwnCookies },
  challenges: ChallengeRule,
): Head {
  const status = answer.statusCode ?? 0;
  let location: string | undefined;
  let followsBody = true;
  let length = Number.NaN;
  let headers = headersForCaller(answer.rawHeaders, (name, value) => {
    switch (name) {
      case 'set-cookie':
        return rules.cookies.isSetBy(value) ? undefined : value;
      case 'location':
      case 'content-location': {
        const { reference: passing, redirect } = rules.addresses;
        const reference = (status === 307 && name === 'location' ? redirect : passing)(value, path);
        if (name === 'location') {
          location = reference;
          if (reference !== value && status >= 300) followsBody = false;
        }
        return reference;
      }
      case 'link':
        return rules.addresses.links(value, path);
      case 'www-authenticate':
        return challenges(value);
      case 'content-length':
        length = Number(value);
        return status === 204 ? undefined : value;
      default:
        return value;
    }
  });
  if (!followsBody) {
    headers = without(headers, ['content-type', 'content-encoding', 'content-language', 'etag', 'content-length']);
    headers.push('Content-Length', '0');
  }
  headers.push(...POLICY);
  return { status, headers, location, followsBody, length };
}

function without(headers: HeaderList, names: readonly string[]): HeaderList {
  return headers.filter((_, index) => !names.includes((headers[index - (index % 2)] as string).toLowerCase()));
}

/**
 * Streams the body at the speed of the client.
 * @param taker the response, or a buffer in front of it
 * @param length bytes of the body; if all of them come at once, they are passed on in one write
 * @param broken called when the upstream breaks off: the client's connection is closed as well, so that nothing looks
 * complete
 */
export function streamBody(
  answer: IncomingMessage,
  res: ServerResponse,
  taker: BodyTaker,
  length: number,
  exchange: Exchange,
  broken: (error: unknown) => void,
): void {
  let begun = false;
  let ended = false;
  let complete = false;
  const cut = (error: unknown): void => {
    if (ended) return;
    ended = true;
    exchange.finished();
    answer.destroy();
    // Nothing to do if the client has it all, or left first. A reset is noticed even by a client that reads until the end (HTTP/1.0).
    if (complete || res.socket === null || res.socket.destroyed) return;
    res.socket.resetAndDestroy();
    broken(error);
  };
  const drained = (): void => {
    exchange.touch();
    answer.resume();
  };
  exchange.onSilence(() => cut(new Error('no data within the body for too long')));
  answer.on('data', (chunk: Buffer) => {
    begun = true;
    exchange.moved(chunk);
    if (chunk.length === length) {
      complete = true;
      taker.end(chunk);
      return;
    }
    if (taker.write(chunk)) return;
    exchange.hold();
    answer.pause();
    taker.once('drain', drained);
  });
  answer.on('error', cut);
  answer.on('end', () => {
    if (ended) return;
    ended = true;
    exchange.finished();
    if (!complete) taker.end();
  });
  // What came with the head is passed on by then, in one write with it.
  setImmediate(() => {
    if (!begun && !ended) taker.flushHeaders();
  });
}

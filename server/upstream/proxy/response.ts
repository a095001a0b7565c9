import type { IncomingMessage, ServerResponse } from 'node:http';
import { upstreamPrefix } from '../../../shared/upstreams.ts';
import type { Upstream } from '../../config/config.ts';
import type { BodyTaker } from './body.ts';
import type { OwnCookies } from './headers.ts';
import { type HeaderList, headersForCaller } from './headers.ts';
import type { Exchange } from './proxied-request.ts';

/** Rewrites addresses in an upstream's response so that they point to this service. */
export interface OwnAddresses {
  /**
   * A `Location`, or one target of a `Link`; relative to `path`, the request target at the upstream.
   * @returns undefined if the address must not be shown
   */
  reference(value: string, path: string): string | undefined;
  /** The same for the `Location` of a 307, by which the two APIs of an identity service redirect to one another. */
  redirect(value: string, path: string): string | undefined;
  /** Rewrites all targets of a `Link` header and keeps the rest byte for byte. */
  links(value: string, path: string): string;
}

interface Base {
  origin: string;
  /** The path of the configured URL, without trailing slash: `` or `/kratos`. */
  path: string;
  prefix: string;
}

/**
 * @param upstreams all configured ones: an address of another is mapped to that one's prefix
 * @param own whose responses are rewritten. On an admin prefix, addresses of any other origin lose their host
 */
export function ownAddresses(upstreams: readonly Upstream[], own: Upstream & { url: string }): OwnAddresses {
  // The most specific first, and this upstream first among equals: two prefixes may share one address.
  const bases = [own, ...upstreams.filter(({ name }) => name !== own.name)]
    .flatMap(({ url, prefix }) => (url === undefined ? [] : [baseOf(url, prefix)]))
    .sort((a, b) => b.path.length - a.path.length);
  const { origin, path: basePath, prefix } = baseOf(own.url, own.prefix);

  function reference(value: string, path: string): string | undefined {
    let url: URL;
    try {
      url = new URL(value, origin + path);
    } catch {
      return undefined;
    }
    const rest = url.pathname + url.search + url.hash;
    const base = bases.find((other) => other.origin === url.origin && isBelow(url.pathname, other.path));
    if (base !== undefined) return base.prefix + rest.slice(base.path.length);
    // The upstream's own origin, but outside the configured path.
    if (url.origin === origin) return prefix + (isBelow(url.pathname, basePath) ? rest.slice(basePath.length) : rest);
    if (!own.admin) return value;
    return url.protocol === 'http:' || url.protocol === 'https:' ? prefix + rest : undefined;
  }

  // The service uses its own address for the other API, which may differ from the configured one.
  const counterpart = upstreamPrefix(own.counterpart);
  const belongsToOther = own.admin ? /^\/(?:schemas(?:\/|$)|sessions\/whoami$|self-service\/)/ : /^\/admin(?:\/|$)/;
  const holdsIdentities = own.deployment !== undefined;

  function redirect(value: string, path: string): string | undefined {
    if (holdsIdentities && URL.canParse(value, origin + path)) {
      const { pathname, search } = new URL(value, origin + path);
      if (belongsToOther.test(pathname)) return counterpart + pathname + search;
    }
    return reference(value, path);
  }

  return {
    reference,
    redirect,
    links: (value, path) =>
      value.replace(/(^|,)(\s*)<([^>]*)(?:>|$)/g, (_match, comma: string, space: string, target: string) => {
        return `${comma}${space}<${reference(target, path) ?? ''}>`;
      }),
  };
}

function baseOf(url: string, prefix: string): Base {
  const { origin, pathname } = new URL(url);
  return { origin, path: pathname.replace(/\/$/, ''), prefix };
}

const isBelow = (path: string, base: string): boolean => path === base || path.startsWith(`${base}/`);

/** What passes of a `WWW-Authenticate` header. */
export type ChallengeRule = (value: string) => string | undefined;

/** Quotes that match, or a browser could see another challenge than we do. */
const WELL_FORMED = /^(?:[^"]|"(?:[^"\\]|\\.)*")*$/;
const PARTS = /(?:[^",]|"(?:[^"\\]|\\.)*")+/g;
/** A scheme stands alone or before a space; a parameter's name before `=`. */
const SCHEME = /^([\w!#$%&'*+.^`|~-]+)(?:\s+(?![\s=])|$)/;
/** For these, browsers open a dialog of their own, under the dashboard's address. */
const WITH_DIALOG = new Set(['basic', 'digest', 'negotiate', 'ntlm']);

/** Several challenges may share a line, separated like their parameters (RFC 9110, section 11.6.1). */
function challengesIn(value: string): { scheme: string; text: string }[] {
  const challenges: { scheme: string; text: string }[] = [];
  if (!WELL_FORMED.test(value)) return challenges;
  for (const part of value.match(PARTS) ?? []) {
    const text = part.trim();
    const scheme = SCHEME.exec(text)?.[1];
    const last = challenges.at(-1);
    if (scheme !== undefined) challenges.push({ scheme: scheme.toLowerCase(), text });
    else if (last !== undefined && text !== '') last.text += `, ${text}`;
  }
  return challenges;
}

function forAdmin(value: string): string | undefined {
  const bearer = challengesIn(value).find(({ scheme }) => scheme === 'bearer');
  const error = /\berror="([\w.-]{1,64})"/.exec(bearer?.text ?? '')?.[1];
  return bearer && (error === undefined ? 'Bearer' : `Bearer error="${error}"`);
}

function forBrowser(value: string): string | undefined {
  const passing = challengesIn(value).filter(({ scheme }) => !WITH_DIALOG.has(scheme));
  return passing.length === 0 ? undefined : passing.map(({ text }) => text).join(', ');
}

/** On public prefixes OAuth 2.0 clients need every challenge (RFC 6749, section 5.2). */
export const challengeRule = (admin: boolean, { headers }: IncomingMessage): ChallengeRule =>
  admin ? forAdmin : headers['sec-fetch-mode'] === undefined ? (value) => value : forBrowser;

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
    exchange.touch();
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

import type { IncomingMessage, ServerResponse } from 'node:http';
import { upstreamPrefix } from '../../../shared/upstreams.ts';
import type { Upstream } from '../../config/config.ts';
import type { ResponseWriter } from './body.ts';
import { headersForCaller, type ownCookies } from './headers.ts';
import type { ProxiedRequest } from './proxied-request.ts';

/**
 * Rewrites addresses in an upstream's response so that they point to this service: each upstream's to its prefix. On an
 * admin prefix, addresses of unknown origins lose their host.
 * @param own the upstream whose responses are rewritten
 */
export function ownAddresses(upstreams: readonly Upstream[], own: Upstream & { url: string }) {
  // The most specific address first, and this upstream first among equals: two prefixes may share one address.
  const bases = [own, ...upstreams.filter(({ name }) => name !== own.name)]
    .flatMap(({ url, prefix }) => (url === undefined ? [] : [baseOf(url, prefix)]))
    .sort((a, b) => b.path.length - a.path.length);
  const { origin, path: basePath, prefix } = baseOf(own.url, own.prefix);

  /**
   * @param path the request target at the upstream, for relative addresses
   * @returns undefined if the client must not see the address
   */
  function reference(value: string, path: string): string | undefined {
    const url = URL.parse(value, origin + path);
    if (url === null) return undefined;
    const rest = url.pathname + url.search + url.hash;
    const base = bases.find((other) => other.origin === url.origin && isBelow(url.pathname, other.path));
    if (base !== undefined) return base.prefix + rest.slice(base.path.length);
    // The upstream's own origin, but outside the configured path.
    if (url.origin === origin) return prefix + (isBelow(url.pathname, basePath) ? rest.slice(basePath.length) : rest);
    if (!own.admin) return value;
    return url.protocol === 'http:' || url.protocol === 'https:' ? prefix + rest : undefined;
  }

  // The service redirects to its own address for the other API, which may differ from the configured address.
  const counterpart = own.counterpart && upstreamPrefix(own.counterpart);
  const belongsToOther = own.admin ? /^\/(?:schemas(?:\/|$)|sessions\/whoami$|self-service\/)/ : /^\/admin(?:\/|$)/;

  /** Rewrites the `Location` of a 307, with which the two APIs of an identity service redirect to each other. */
  function redirect(value: string, path: string): string | undefined {
    const url = URL.parse(value, origin + path);
    if (own.deployment === undefined || counterpart === undefined || url === null || !belongsToOther.test(url.pathname))
      return reference(value, path);
    return counterpart + url.pathname + url.search;
  }

  return {
    reference,
    redirect,
    /** Rewrites all targets of a `Link` header and keeps the rest byte for byte. */
    links: (value: string, path: string): string =>
      value.replace(
        /((?:^|,)\s*)<([^>]*)(?:>|$)/g,
        (_match, before: string, target: string) => `${before}<${reference(target, path) ?? ''}>`,
      ),
  };
}

/** @returns `path` of the configured URL without trailing slash: `` or `/kratos` */
function baseOf(url: string, prefix: string) {
  const { origin, pathname } = new URL(url);
  return { origin, path: pathname.replace(/\/$/, ''), prefix };
}

const isBelow = (path: string, base: string): boolean => path === base || path.startsWith(`${base}/`);

/** Returns the part of a `WWW-Authenticate` header that is passed on; undefined if none is. */
export type ChallengeRule = (value: string) => string | undefined;

/** Requires balanced quotes: otherwise a browser could see different challenges than we do. */
const WELL_FORMED = /^(?:[^"]|"(?:[^"\\]|\\.)*")*$/;
const PARTS = /(?:[^",]|"(?:[^"\\]|\\.)*")+/g;
/** A scheme ends the part or is followed by a space, a parameter's name by `=`. */
const SCHEME = /^([\w!#$%&'*+.^`|~-]+)(?:\s+(?![\s=])|$)/;
/** For these schemes, browsers open their own sign-in dialog, which would appear to be the dashboard's. */
const WITH_DIALOG = new Set(['basic', 'digest', 'negotiate', 'ntlm']);

/** The challenges in a header, which are separated in the same way as their parameters (RFC 9110, section 11.6.1). */
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

export function headOf(
  incoming: IncomingMessage,
  path: string,
  rules: { addresses: ReturnType<typeof ownAddresses>; cookies: ReturnType<typeof ownCookies> },
  challenges: ChallengeRule,
) {
  const status = incoming.statusCode ?? 0;
  /** The address after it has been mapped to our prefix. */
  let location: string | undefined;
  /** False for a rewritten redirect, since its body repeats the original address. */
  let followsBody = true;
  /** Bytes of the body; NaN if unknown. */
  let length = Number.NaN;
  let headers = headersForCaller(incoming, (name, value) => {
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
    const names = ['content-type', 'content-encoding', 'content-language', 'etag', 'content-length'];
    headers = headers.filter((_, index) => !names.includes((headers[index - (index % 2)] as string).toLowerCase()));
    headers.push('Content-Length', '0');
  }
  return { headers, location, followsBody, length };
}

/**
 * Streams the body at the speed of the client.
 * @param writer the response, or a buffer in front of it
 * @param length of the body; if all of it arrives together, it is sent in one write
 * @param onBroken called when the upstream breaks off
 */
export function streamBody(
  incoming: IncomingMessage,
  res: ServerResponse,
  writer: ResponseWriter,
  length: number,
  request: ProxiedRequest,
  onBroken: (error: unknown) => void,
): void {
  let hasBegun = false;
  let ended = false;
  let complete = false;
  const cut = (error: unknown): void => {
    if (ended) return;
    ended = true;
    request.finished();
    incoming.destroy();
    // The client has everything or has disconnected. Otherwise a reset shows even HTTP/1.0 that the body is incomplete.
    if (complete || res.socket === null || res.socket.destroyed) return;
    res.socket.resetAndDestroy();
    onBroken(error);
  };
  const resume = (): void => {
    request.resetTimer();
    incoming.resume();
  };
  request.onTimeout(() => cut(new Error('no data within the body for too long')));
  incoming.on('data', (chunk: Buffer) => {
    hasBegun = true;
    request.resetTimer();
    if (chunk.length === length) {
      complete = true;
      writer.end(chunk);
      return;
    }
    if (writer.write(chunk)) return;
    request.pauseTimer();
    incoming.pause();
    writer.once('drain', resume);
  });
  incoming.on('error', cut);
  incoming.on('end', () => {
    if (ended) return;
    ended = true;
    request.finished();
    if (!complete) writer.end();
  });
  // Wait one turn, so that a body that arrives together with the head is sent in the same write.
  setImmediate(() => {
    if (!hasBegun && !ended) writer.flushHeaders();
  });
}

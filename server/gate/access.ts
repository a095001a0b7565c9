import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import express, { type Express, type Request, type RequestHandler } from 'express';
import type { Config, Upstream } from '../config/config.ts';
import { noteClosed } from '../http/request-log.ts';
import { type Log, logThrottle } from '../log.ts';
import { networkTest, PRIVATE_NETWORKS, withoutMapping } from '../networks.ts';
import { SESSION_COOKIE } from '../session/session-cookie.ts';
import { limitActs } from './admin-acts.ts';
import type { SessionGate } from './require-session.ts';
import { foreignRequest, isForeign } from './same-origin.ts';

type Trust = Pick<Config, 'trustProxy'>;

/** Configures Express' `trust proxy` from `TRUST_PROXY`. */
export function trustProxies(app: Express, { trustProxy }: Trust): Express {
  if (trustProxy === undefined) return app;
  app.set('trust proxy', trustProxy);
  return app.use((req, _res, next) => {
    dropPorts(req.headers);
    next();
  });
}

const WITH_PORT = /^(?:\[([\da-f:.]+)\]|([\d.]+))(?::\d{1,5})?$/i;

/** Some proxies add the port (`203.0.113.7:51234`, `[2001:db8::7]:443`), which would make the address invalid. */
export function dropPorts(headers: IncomingHttpHeaders): void {
  const { 'x-forwarded-for': named } = headers;
  if (typeof named !== 'string' || !named.includes(':')) return;
  const addresses = named.split(',').map((part) => {
    const [text, v6, v4] = WITH_PORT.exec(part.trim()) ?? [part.trim()];
    return v6 ?? v4 ?? text;
  });
  headers['x-forwarded-for'] = addresses.join(', ');
}

/**
 * The client's address according to the trusted proxies, or the peer's if there are none. Logs a trusted proxy that
 * names no client, since all its clients would count as one.
 */
export function clientAddresses(
  { trustProxy }: Trust,
  log: Log,
  monotonic: () => number,
): (req: Request) => string | undefined {
  const peerOf = ({ socket }: Request): string | undefined =>
    socket.remoteAddress && withoutMapping(socket.remoteAddress);
  // Spares Express from parsing the headers.
  if (trustProxy === undefined) return peerOf;
  const noteUnnamed = logThrottle(
    (message) => log.warn({ variable: 'TRUST_PROXY', header: 'x-forwarded-for' }, message),
    monotonic,
  );
  return (req) => {
    const peer = peerOf(req);
    // A proxy may pass on arbitrary text.
    const named = req.ips.length > 0 && isIP(req.ip ?? '') !== 0 ? req.ip : undefined;
    const isTrusted = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
    if (named === undefined && peer !== undefined && isTrusted(peer, 0))
      noteUnnamed('a trusted proxy does not name its clients: all of them count as one');
    return named === undefined ? peer : withoutMapping(named);
  };
}

/** Whether a caller may use the `*-admin` prefixes without a session, and why. */
export interface AdminAccess {
  open: boolean;
  /** The variable that decided, or `browser`: browsers always need a session. */
  decidedBy: 'PROXY_REQUIRE_SESSION' | 'TRUST_PROXY' | 'browser';
  /** An explanation that contains nothing from the request. */
  reason: string;
  /** The header (lower case) of a reverse proxy that TRUST_PROXY does not name. */
  forwarding?: string;
}
type Rules = Pick<Config, 'proxyRequireSession' | 'trustProxy' | 'production'>;

/** Headers that reverse proxies add. If no proxy is trusted, the origin of a request with one of them is unknown. */
const FORWARDING = ['x-forwarded-for', 'forwarded', 'via'];

const by = (open: boolean, decidedBy: AdminAccess['decidedBy'], reason: string): AdminAccess => ({
  open,
  decidedBy,
  reason,
});
const BROWSER = by(false, 'browser', 'Sec-Fetch-Site or Origin');
const NEVER = by(true, 'PROXY_REQUIRE_SESSION', 'false');
const ALWAYS = by(false, 'PROXY_REQUIRE_SESSION', 'true');
const INSIDE = by(true, 'PROXY_REQUIRE_SESSION', 'outside, and the caller is inside');
const OUTSIDE = by(false, 'PROXY_REQUIRE_SESSION', 'outside, and the caller is outside');
const UNNAMED = by(false, 'TRUST_PROXY', 'no trusted proxy names the caller in X-Forwarded-For');
const FORWARDED = FORWARDING.map((forwarding) => ({
  ...by(false, 'TRUST_PROXY', `unset, and the request has ${forwarding}`),
  forwarding,
}));

/** Pages in browsers send one of these headers. `Sec-Fetch-Mode` is not enough, since Node sends it as well. */
const isBrowser = ({ headers }: Request): boolean =>
  headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;

/**
 * Decides on callers of the `*-admin` prefixes. With trusted proxies, the caller is the address before theirs; a proxy
 * that names no client, or whose own address takes the client's place, would make everyone look like itself. A request
 * through a public address came from outside, so too high a hop count cannot make a forged address internal.
 */
export function adminAccess({
  proxyRequireSession: rule,
  trustProxy,
  production,
}: Rules): (req: Request) => AdminAccess {
  const isInside = networkTest(PRIVATE_NETWORKS);

  return (req) => {
    if (isBrowser(req)) return BROWSER;
    if (rule !== 'outside') return rule === 'never' ? NEVER : ALWAYS;
    const peer = req.socket.remoteAddress;
    if (trustProxy === undefined) {
      const forwarded = FORWARDED.find(({ forwarding }) => req.headers[forwarding] !== undefined);
      return production && forwarded !== undefined ? forwarded : isInside(peer) ? INSIDE : OUTSIDE;
    }
    const named = req.ips;
    const isTrusted = req.app.get('trust proxy fn') as (address: string, hop: number) => boolean;
    if (named[0] === undefined || isIP(named[0]) === 0 || isTrusted(named[0], named.length)) return UNNAMED;
    return isInside(peer) && named.every(isInside) ? INSIDE : OUTSIDE;
  };
}

/** The same decision for a caller with this peer address and these headers. */
export function accessFor(rules: Rules): (peer: string, headers: Record<string, string>) => AdminAccess {
  const { request } = trustProxies(express(), rules);
  const access = adminAccess(rules);
  return (remoteAddress, given) => {
    const headers = { ...given };
    dropPorts(headers);
    return access(
      Object.create(request, { headers: { value: headers }, socket: { value: { remoteAddress } } }) as Request,
    );
  };
}

/**
 * Who may use a proxy before the upstream checks its own key. The contract leaves the prefixes open to anyone who can
 * reach the port; on the `*-admin` ones, callers from outside need a session that may read or write there, as browsers
 * do on any network and under every rule. Foreign pages cannot use an operator's browser there, nor on a public prefix
 * with a stored key.
 */
export function proxyAccess(
  upstream: Upstream,
  options: {
    config: Pick<Config, 'baseUrl' | 'deployment' | 'proxyTimeoutMs'>;
    adminAccess: (req: Request) => AdminAccess;
    /** Called with the header of an untrusted reverse proxy. */
    noteForwarding: (name: string) => void;
    gate: SessionGate;
    hasKey: () => Promise<boolean>;
  },
): RequestHandler {
  const { config, adminAccess, noteForwarding, gate, hasKey } = options;
  const ownOrigin = config.baseUrl;

  if (upstream.admin) {
    const limit = limitActs(upstream, config);
    return (req, res, next) => {
      const admit = (error?: unknown): void => {
        if (error !== undefined) next(error);
        else if (isForeign(req, ownOrigin)) next(foreignRequest());
        else next();
      };
      const { open, decidedBy, reason, forwarding } = adminAccess(req);
      if (forwarding !== undefined) noteForwarding(forwarding);
      // The prefix is open, so the session is used only for the audit record of a write.
      if (open) return gate.noteSession(req, res, admit);
      noteClosed(res, { decidedBy, reason });
      gate.requireSession(req, res, (error) => (error === undefined ? limit(req, res, admit) : admit(error)));
    };
  }

  const refuseForeign = (req: Request, next: (error?: unknown) => void): void => {
    if (isForeign(req, ownOrigin)) hasKey().then((stored) => next(stored ? foreignRequest() : undefined), next);
    else next();
  };
  // The session is only recorded, so that an operator does not share a connection limit with others at the same
  // address.
  return (req, res, next) =>
    req.headers.cookie?.includes(SESSION_COOKIE)
      ? gate.noteSession(req, res, (error) => (error === undefined ? refuseForeign(req, next) : next(error)))
      : refuseForeign(req, next);
}

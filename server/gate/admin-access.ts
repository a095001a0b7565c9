import { isIP } from 'node:net';
import express, { type Express, type Request } from 'express';
import type { Config } from '../config/config.ts';
import { networkTest, PRIVATE_NETWORKS } from '../lib/networks.ts';

/** Whether a caller may use the `*-admin` prefixes without a session, and what decides that. */
export interface AdminAccess {
  open: boolean;
  /** A variable, or `browser`, which no variable lets in. */
  decidedBy: 'PROXY_REQUIRE_SESSION' | 'TRUST_PROXY' | 'browser';
  /** Holds no value of the request. */
  reason: string;
  /** The header, in lower case, of a proxy in front that TRUST_PROXY does not name. */
  forwarding?: string;
}
type Rules = Pick<Config, 'proxyRequireSession' | 'trustProxy' | 'production'>;

/** What a proxy in front adds; without trusted ones nobody knows where such a request comes from. */
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
const OUTSIDE = by(false, 'PROXY_REQUIRE_SESSION', 'outside, and so is the caller');
const UNNAMED = by(false, 'TRUST_PROXY', 'no trusted proxy names the caller in X-Forwarded-For');
const FORWARDED = FORWARDING.map((forwarding) => ({
  ...by(false, 'TRUST_PROXY', `unset, and the request has ${forwarding}`),
  forwarding,
}));

/** A browser is at work: it sends one of these with every request that a page makes. `Sec-Fetch-Mode` alone is Node's. */
const isBrowser = ({ headers }: Request): boolean =>
  headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;

/** Has the app believe the proxies in front, as `TRUST_PROXY` says. */
export function trustProxies(app: Express, { trustProxy }: Pick<Config, 'trustProxy'>): Express {
  return trustProxy === undefined ? app : app.set('trust proxy', trustProxy);
}

/**
 * Judges the callers of the `*-admin` prefixes. With trusted proxies the one named last before them is the caller; a
 * proxy that names nobody, or whose own address stands where the caller's should, would make everybody look like itself.
 * Whoever came through a public address came from outside: too high a hop count believes no invented address.
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

/** The same judgement of a caller who only might be: of that peer, with those headers, as Express would read them. */
export function imaginedAccess(rules: Rules): (peer: string, headers: Record<string, string>) => AdminAccess {
  const { request } = trustProxies(express(), rules);
  const access = adminAccess(rules);
  return (remoteAddress, headers) =>
    access(Object.create(request, { headers: { value: headers }, socket: { value: { remoteAddress } } }) as Request);
}

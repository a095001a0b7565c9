import { isIP } from 'node:net';
import express, { type Request } from 'express';
import type { Config } from '../config/config.ts';
import { networkTest, PRIVATE_NETWORKS } from '../lib/networks.ts';
import { dropPorts, trustProxies } from './client-address.ts';

/** Whether a caller may use the `*-admin` prefixes without a session, and why. */
export interface AdminAccess {
  open: boolean;
  /** The deciding variable, or `browser`, which no variable admits. */
  decidedBy: 'PROXY_REQUIRE_SESSION' | 'TRUST_PROXY' | 'browser';
  /** Contains nothing from the request. */
  reason: string;
  /** The header (lower case) of a reverse proxy that TRUST_PROXY does not name. */
  forwarding?: string;
}
type Rules = Pick<Config, 'proxyRequireSession' | 'trustProxy' | 'production'>;

/** Headers added by reverse proxies; without trusted ones, the origin of such a request is unknown. */
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

/** Every request by a page in a browser has one of these headers. `Sec-Fetch-Mode` alone is Node's. */
const isBrowser = ({ headers }: Request): boolean =>
  headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;

/**
 * Judges callers of the `*-admin` prefixes. With trusted proxies, the caller is the address before theirs; a proxy that
 * names no client, or whose own address takes the client's place, would make everyone look like itself. A request
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

/** The same decision for an imagined caller with this peer address and these headers. */
export function imaginedAccess(rules: Rules): (peer: string, headers: Record<string, string>) => AdminAccess {
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

import type { Request, RequestHandler } from 'express';
import type { ProxySessionRule, Upstream } from '../config/config.ts';
import { networkTest, PRIVATE_NETWORKS } from '../networks.ts';
import { SESSION_COOKIE } from '../session/session-cookie.ts';
import type { SessionGate } from './require-session.ts';
import { foreignRequest, isForeign } from './same-origin.ts';

/** What a proxy in front adds; without trusted ones nobody knows where such a request comes from. */
const FORWARDING = ['x-forwarded-for', 'forwarded', 'via'];

/** A browser is at work: it sends one of these with every request that a page makes. `Sec-Fetch-Mode` alone is Node's. */
const isBrowser = ({ headers }: Request): boolean =>
  headers['sec-fetch-site'] !== undefined || headers.origin !== undefined;

/**
 * Who may use a proxy before the upstream's own check of its key. The contract leaves the prefixes open to whoever
 * reaches the port; on the `*-admin` ones this asks callers from outside for an admin session, and keeps an
 * operator's browser from being a foreign page's way in, also on a public prefix whose key we hold. A browser is never
 * "whoever reaches the port": on the `*-admin` prefixes it needs an admin session, whatever the network and the rule.
 */
export function proxyAccess(
  upstream: Upstream,
  options: {
    rule: ProxySessionRule;
    ownOrigin: string;
    behindProxies: boolean;
    /** Headers of a proxy in front make a caller one from outside where none is trusted. */
    distrustForwarding: boolean;
    /** Told of such a header; `name` is in lower case. */
    noteForwarding: (name: string) => void;
    gate: SessionGate;
    hasKey: () => Promise<boolean>;
  },
): RequestHandler {
  const isInside = networkTest(PRIVATE_NETWORKS);
  const { rule, ownOrigin, behindProxies, distrustForwarding, noteForwarding, gate, hasKey } = options;

  function isInsideCaller(req: Request): boolean {
    if (distrustForwarding && !behindProxies) {
      const name = FORWARDING.find((header) => req.headers[header] !== undefined);
      if (name !== undefined) {
        noteForwarding(name);
        return false;
      }
    }
    return isInside(req.socket.remoteAddress) && (!behindProxies || isInside(req.ip));
  }

  const isOpenTo = (req: Request): boolean =>
    !isBrowser(req) && (rule === 'never' || (rule === 'outside' && isInsideCaller(req)));

  if (upstream.admin)
    return (req, res, next) => {
      const admit = (error?: unknown): void => {
        if (error !== undefined) next(error);
        else if (isForeign(req, ownOrigin)) next(foreignRequest());
        else next();
      };
      // Where the prefix is open a session is only noted, for the audit record of a write.
      if (isOpenTo(req)) gate.noteSession(req, res, admit);
      else gate.demandAdmin(req, res, admit);
    };

  const refuseForeign = async (req: Request, next: (error?: unknown) => void): Promise<void> => {
    if (isForeign(req, ownOrigin) && (await hasKey())) next(foreignRequest());
    else next();
  };
  // The session is only noted: an operator does not share connections with whoever has the same address.
  return (req, res, next) =>
    req.headers.cookie?.includes(SESSION_COOKIE)
      ? gate.noteSession(req, res, (error) => (error === undefined ? refuseForeign(req, next) : next(error)))
      : refuseForeign(req, next);
}

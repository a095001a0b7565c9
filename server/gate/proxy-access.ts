import type { Request, RequestHandler } from 'express';
import type { ProxySessionRule, Upstream } from '../config/config.ts';
import { networkTest, PRIVATE_NETWORKS } from '../networks.ts';
import type { SessionGate } from './require-session.ts';
import { foreignRequest, isForeign } from './same-origin.ts';

/**
 * Who may use a proxy before the upstream's own check of its key. The contract leaves the prefixes open to whoever
 * reaches the port; on the `*-admin` ones this asks callers from outside for an admin session, and keeps an
 * operator's browser from being a foreign page's way in, also on a public prefix whose key we hold.
 */
export function proxyAccess(
  upstream: Upstream,
  options: {
    rule: ProxySessionRule;
    ownOrigin: string;
    behindProxies: boolean;
    gate: SessionGate;
    hasKey: () => Promise<boolean>;
  },
): RequestHandler {
  const isInside = networkTest(PRIVATE_NETWORKS);
  const { rule, ownOrigin, behindProxies, gate, hasKey } = options;

  const isOpenTo = (req: Request): boolean =>
    rule === 'never' ||
    (rule === 'outside' && isInside(req.socket.remoteAddress) && (!behindProxies || isInside(req.ip)));

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

  return async (req, _res, next) => {
    if (isForeign(req, ownOrigin) && (await hasKey())) next(foreignRequest());
    else next();
  };
}

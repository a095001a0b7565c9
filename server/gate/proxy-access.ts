import type { Request, RequestHandler } from 'express';
import type { Upstream } from '../config/config.ts';
import { noteClosed } from '../http/request-log.ts';
import { SESSION_COOKIE } from '../session/session-cookie.ts';
import type { AdminAccess } from './admin-access.ts';
import type { SessionGate } from './require-session.ts';
import { foreignRequest, isForeign } from './same-origin.ts';

/**
 * Who may use a proxy before the upstream's own check of its key. The contract leaves the prefixes open to whoever
 * reaches the port; on the `*-admin` ones this asks callers from outside for an admin session, and keeps an
 * operator's browser from being a foreign page's way in, also on a public prefix whose key we hold. A browser is never
 * "whoever reaches the port": on the `*-admin` prefixes it needs an admin session, whatever the network and the rule.
 */
export function proxyAccess(
  upstream: Upstream,
  options: {
    ownOrigin: string;
    adminAccess: (req: Request) => AdminAccess;
    /** Told of the header of a proxy in front that nobody trusts. */
    noteForwarding: (name: string) => void;
    gate: SessionGate;
    hasKey: () => Promise<boolean>;
  },
): RequestHandler {
  const { ownOrigin, adminAccess, noteForwarding, gate, hasKey } = options;

  if (upstream.admin)
    return (req, res, next) => {
      const admit = (error?: unknown): void => {
        if (error !== undefined) next(error);
        else if (isForeign(req, ownOrigin)) next(foreignRequest());
        else next();
      };
      const { open, decidedBy, reason, forwarding } = adminAccess(req);
      if (forwarding !== undefined) noteForwarding(forwarding);
      // Where the prefix is open a session is only noted, for the audit record of a write.
      if (open) return gate.noteSession(req, res, admit);
      noteClosed(res, { decidedBy, reason });
      gate.demandAdmin(req, res, admit);
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

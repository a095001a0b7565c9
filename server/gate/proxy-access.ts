import type { Request, RequestHandler } from 'express';
import type { Upstream } from '../config/config.ts';
import { noteClosed } from '../http/request-log.ts';
import { SESSION_COOKIE } from '../session/session-cookie.ts';
import type { AdminAccess } from './admin-access.ts';
import type { SessionGate } from './require-session.ts';
import { foreignRequest, isForeign } from './same-origin.ts';

/**
 * Who may use a proxy before the upstream checks its own key. The contract leaves the prefixes open to anyone who can
 * reach the port; on the `*-admin` ones, callers from outside need a session that may read or write there, as browsers do
 * on any network and under every rule. Foreign pages cannot use an operator's browser there, nor on a public prefix with a
 * stored key.
 */
export function proxyAccess(
  upstream: Upstream,
  options: {
    ownOrigin: string;
    adminAccess: (req: Request) => AdminAccess;
    /** Called with the header of an untrusted reverse proxy. */
    noteForwarding: (name: string) => void;
    gate: SessionGate;
    hasKey: () => Promise<boolean>;
  },
): RequestHandler {
  const { ownOrigin, adminAccess, noteForwarding, gate, hasKey } = options;

  if (upstream.admin) {
    const demand = gate.demand({ read: 'upstreams.read', write: 'upstreams.write' });
    return (req, res, next) => {
      const admit = (error?: unknown): void => {
        if (error !== undefined) next(error);
        else if (isForeign(req, ownOrigin)) next(foreignRequest());
        else next();
      };
      const { open, decidedBy, reason, forwarding } = adminAccess(req);
      if (forwarding !== undefined) noteForwarding(forwarding);
      // The prefix is open: the session is only noted, for the audit record of a write.
      if (open) return gate.noteSession(req, res, admit);
      noteClosed(res, { decidedBy, reason });
      demand(req, res, admit);
    };
  }

  const refuseForeign = (req: Request, next: (error?: unknown) => void): void => {
    if (isForeign(req, ownOrigin)) hasKey().then((stored) => next(stored ? foreignRequest() : undefined), next);
    else next();
  };
  // The session is only noted, so that an operator does not share a connection limit with others at the same address.
  return (req, res, next) =>
    req.headers.cookie?.includes(SESSION_COOKIE)
      ? gate.noteSession(req, res, (error) => (error === undefined ? refuseForeign(req, next) : next(error)))
      : refuseForeign(req, next);
}

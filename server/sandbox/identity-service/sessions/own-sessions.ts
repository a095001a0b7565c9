import { decodeJson, isObject } from '../../go/json.ts';
import { empty, json } from '../../http/answer.ts';
import type { Call } from '../../http/call.ts';
import { type Route, route } from '../../http/router.ts';
import type { IdentityDocument } from '../identities/identity-document.ts';
import { badMessage, IdentityServiceError, notFound, unauthorized } from '../identities/identity-errors.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import { isActive, sessionAnswer } from './session-answer.ts';
import { numberedSessions } from './session-routes.ts';
import type { SessionStore, StoredSession } from './session-store.ts';

export interface OwnSessionsOptions {
  identities: IdentityStore;
  sessions: SessionStore;
  publicUrl: string;
  now: () => number;
}

/** What the owner of a session token can do with sessions on the public port. */
export function ownSessionRoutes({ identities, sessions, publicUrl, now }: OwnSessionsOptions): Route[] {
  const own = ({ headers }: Call, reason: string): { session: StoredSession; identity: IdentityDocument } => {
    const bearer = /^Bearer (.+)$/i.exec(headers.authorization ?? '')?.[1];
    const token = [headers['x-session-token'] ?? []].flat()[0] ?? bearer;
    const session = token === undefined ? undefined : sessions.findByToken(token);
    const identity = session && identities.find(session.identityId);
    if (session === undefined || identity === undefined || !isActive(session.document, identity, now()))
      throw unauthorized(reason);
    return { session, identity };
  };
  return [
    route('*', '/sessions/whoami', (call) => {
      const { session, identity } = own(call, 'No valid session credentials found in the request.');
      return json(200, sessionAnswer(session.document, { identity, publicUrl, devices: 'shown' }, now()));
    }),
    route('GET', '/sessions', (call) => {
      const { session } = own(call, NO_COOKIE);
      const others = sessions.ofIdentity(session.identityId, undefined, session.document.id);
      return numberedSessions(call, others, identities, now());
    }),
    route('DELETE', '/sessions/:id', (call) => {
      const { session } = own(call, NO_COOKIE);
      if (call.params.id === session.document.id) throw badMessage('cannot revoke current session');
      const other = sessions.find(call.params.id ?? '');
      if (other?.identityId !== session.identityId) throw notFound();
      sessions.replace({ ...other, document: { ...other.document, active: false } });
      return empty(204, { 'Content-Type': 'application/json; charset=utf-8' });
    }),
    route('DELETE', '/self-service/logout/api', ({ body }) => {
      const fields = decodeJson(body || '{}');
      const session = sessions.findByToken(isObject(fields) ? String(fields.session_token) : '');
      if (session === undefined) throw noSuchToken();
      sessions.replace({ ...session, document: { ...session.document, active: false } });
      return empty(204);
    }),
  ];
}

const noSuchToken = () =>
  new IdentityServiceError(403, {
    code: 403,
    status: 'Forbidden',
    reason: 'The provided Ory Session Token could not be found, is invalid, or otherwise malformed.',
    message: 'The requested action was forbidden',
  });

const NO_COOKIE = 'No valid session cookie found.';

import { decodeJson, isObject, isUuid, NIL_UUID, parseInteger, uuidProblem } from '../go.ts';
import { type Answer, type Call, empty, json, type Route, route } from '../http.ts';
import { keysetLink, pageHeaders, pageRequest } from '../paging.ts';
import type { IdentityDocument, IdentityStore } from './identity-store.ts';
import { SESSION_LIFESPAN_MS } from './login-flow.ts';
import {
  type ActiveFilter,
  isActive,
  type SessionPosition,
  type SessionStore,
  type SessionView,
  type StoredSession,
  sessionAnswer,
} from './session-store.ts';
import { badMessage, IdentityServiceError, malformed, notFound, unauthorized } from './validation.ts';

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

export interface SessionRoutesOptions {
  identities: IdentityStore;
  sessions: SessionStore;
  publicUrl: string;
  /** Milliseconds since the epoch. */
  now: () => number;
}

const DEFAULT_SIZE = 250;
const MAX_SIZE = 1000;

export function sessionRoutes({ identities, sessions, publicUrl, now }: SessionRoutesOptions): Route[] {
  const requested = (call: Call): StoredSession => {
    const session = sessions.find(uuidOf(call));
    if (session === undefined) throw notFound();
    return session;
  };
  return [
    route('GET', '/admin/sessions', ({ query }) => {
      const expand = expansions(query);
      const active = activeFilter(query);
      const size = pageSize(query.get('page_size') ?? '');
      const rows = sessions.page(positionOf(query.get('page_token') ?? ''), size + 1, active);
      const shown = rows.slice(0, size);
      const last = rows.length > size ? shown.at(-1)?.document : undefined;
      const next = last && tokenOf({ id: last.id, createdAt: Date.parse(last.issued_at) });
      const answers = shown.map(({ document, identityId }) => {
        const identity = expand.identity ? identities.find(identityId) : undefined;
        const devices = expand.devices ? 'shown' : 'null';
        return sessionAnswer(document, { identity, publicUrl, addresses: false, devices }, now());
      });
      return json(200, answers, { Link: keysetLink('/admin/sessions', query, size, tokenOf(FIRST), next) });
    }),
    route('GET', '/admin/sessions/:id', (call) => {
      const expand = expansions(call.query);
      const { document, identityId } = requested(call);
      const identity = expand.identity ? identities.find(identityId) : undefined;
      return json(
        200,
        sessionAnswer(document, { identity, publicUrl, devices: expand.devices ? 'shown' : 'empty' }, now()),
      );
    }),
    route('DELETE', '/admin/sessions/:id', (call) => {
      const session = requested(call);
      sessions.replace({ ...session, document: { ...session.document, active: false } });
      return empty(204, { 'Content-Type': 'application/json; charset=utf-8' });
    }),
    route('PATCH', '/admin/sessions/:id/extend', (call) => {
      const { document, ...session } = requested(call);
      const extended = { ...document, expires_at: new Date(now() + SESSION_LIFESPAN_MS).toISOString() };
      sessions.replace({ ...session, document: extended });
      const view: SessionView = { identity: identities.find(session.identityId), publicUrl, devices: 'empty' };
      return json(200, sessionAnswer(extended, view, now()));
    }),
    route('GET', '/admin/identities/:id/sessions', (call) => {
      const id = uuidOf(call);
      const rows = sessions.ofIdentity(id, activeFilter(call.query));
      return numberedSessions(call, rows, identities, now());
    }),
    route('DELETE', '/admin/identities/:id/sessions', (call) => {
      if (sessions.removeOfIdentity(uuidOf(call)) === 0) throw notFound();
      return empty(204);
    }),
  ];
}

/**
 * An identity's sessions in numbered pages. As in Kratos, pages 0 and 1 are the same, so nothing links to the rows of
 * the last page.
 */
export function numberedSessions(call: Call, rows: StoredSession[], identities: IdentityStore, now: number): Answer {
  const requested = pageRequest(call.query, { defaultSize: DEFAULT_SIZE, maxSize: MAX_SIZE });
  const from = Math.max(requested.page - 1, 0) * requested.size;
  const answers = rows.slice(from, from + requested.size).map(({ document, identityId }) => {
    const view: SessionView = { identity: identities.find(identityId), addresses: false, devices: 'shown' };
    return sessionAnswer(document, view, now);
  });
  return json(200, answers, pageHeaders(call.path, call.query, requested, rows.length, true));
}

function uuidOf({ params }: Call): string {
  const id = params.id ?? '';
  if (!isUuid(id)) throw badMessage(uuidProblem(id));
  return id.toLowerCase();
}

function expansions(query: URLSearchParams): { identity: boolean; devices: boolean } {
  const requested = query.getAll('expand');
  for (const option of requested)
    if (!['identity', 'devices'].includes(option.toLowerCase()))
      throw malformed(`Could not parse expand option: ${option}`);
  const has = (option: string) => requested.some((candidate) => candidate.toLowerCase() === option);
  return { identity: has('identity'), devices: has('devices') };
}

/** Go's `ParseBool`. */
function activeFilter(query: URLSearchParams): ActiveFilter {
  const text = query.get('active') ?? '';
  if (text === '') return undefined;
  if (['1', 't', 'T', 'true', 'TRUE', 'True'].includes(text)) return true;
  if (['0', 'f', 'F', 'false', 'FALSE', 'False'].includes(text)) return false;
  throw badMessage('could not parse parameter active');
}

function pageSize(text: string): number {
  if (text === '') return DEFAULT_SIZE;
  const size = parseInteger(text);
  if ('problem' in size) throw badMessage('could not parse parameter page_size');
  return size.value <= 0 ? DEFAULT_SIZE : Math.min(size.value, MAX_SIZE);
}

const FIRST: SessionPosition = { id: NIL_UUID, createdAt: Date.UTC(2200, 0, 1) };

const tokenOf = ({ id, createdAt }: SessionPosition): string => {
  const time = new Date(createdAt).toISOString().replace('T', ' ').replace('Z', '');
  return Buffer.from(`id=${id}/created_at=${time}`).toString('base64').replace(/=+$/, '');
};

function positionOf(token: string): SessionPosition {
  if (token === '') return FIRST;
  // For a token that is not base64, Kratos reports the page size.
  if (!/^[A-Za-z0-9+/]+$/.test(token)) throw badMessage('could not parse parameter page_size');
  const [, id, time] = /^id=([^/]+)\/created_at=(.+)$/.exec(Buffer.from(token, 'base64').toString()) ?? [];
  const createdAt = Date.parse(`${time?.replace(' ', 'T')}Z`);
  if (id === undefined || !isUuid(id) || Number.isNaN(createdAt))
    throw malformed('The page token is invalid, do not craft your own page tokens');
  return { id, createdAt };
}

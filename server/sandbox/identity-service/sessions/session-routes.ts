import { parseInteger } from '../../go/integer.ts';
import { isUuid, NIL_UUID, uuidProblem } from '../../go/uuid.ts';
import { type Answer, empty, json } from '../../http/answer.ts';
import type { Call } from '../../http/call.ts';
import { type Route, route } from '../../http/router.ts';
import { keysetLink } from '../../paging/keyset-link.ts';
import { pageHeaders, pageRequest } from '../../paging/page-links.ts';
import { SESSION_LIFESPAN_MS } from '../flows/password-sign-in.ts';
import { badMessage, malformed, notFound } from '../identities/identity-errors.ts';
import type { IdentityStore } from '../identities/identity-store.ts';
import { type SessionView, sessionAnswer } from './session-answer.ts';
import type { ActiveFilter, SessionPosition, SessionStore, StoredSession } from './session-store.ts';

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

import type { Router } from 'express';
import { isUuid } from '../../../shared/json.ts';
import { uuidProblem } from '../formats.ts';
import { queryOf } from '../http.ts';
import { cursorPage, pageHeaders, pageRequest } from '../paging.ts';
import type { SandboxDatabase } from '../sandbox-database.ts';
import { badMessage, malformed, notFound } from './errors.ts';
import { type IdentityDocument, type IdentityStore, type IdentityView, identityBody } from './identities.ts';

/** The lifetime of a session, which starts again when it is extended. */
export const SESSION_LIFESPAN_MS = 14 * 86_400_000;

export interface Device {
  id: string;
  ip_address: string | null;
  user_agent: string | null;
  location: string | null;
}

/** A session as stored: as in Kratos' responses but without the identity. */
export interface SessionDocument {
  id: string;
  active: boolean;
  expires_at: string;
  authenticated_at: string;
  authenticator_assurance_level: string;
  authentication_methods: { method: string; aal: string; completed_at: string; provider?: string }[];
  issued_at: string;
  devices: Device[];
}

export interface StoredSession {
  document: SessionDocument;
  identityId: string;
}

/** True: sessions neither revoked nor expired; false: the others; undefined: all. */
type ActiveFilter = boolean | undefined;

interface Row {
  document: string;
  identity_id: string;
}

const COLUMNS = 'SELECT document, identity_id FROM sessions';
const NEWEST_FIRST = 'ORDER BY created_at DESC, id';
const FITS = '(@active IS NULL OR (active = 1 AND expires_at >= @now) = @active)';

export function sessionStore(database: SandboxDatabase, now: () => number) {
  const byId = database.prepare<[string], Row>(`${COLUMNS} WHERE id = ?`);
  // Session tokens are not used; the column exists in files of earlier releases.
  const insert = database.prepare(
    `INSERT INTO sessions (id, token, identity_id, active, created_at, expires_at, document)
     VALUES (@id, @id, @identityId, @active, @createdAt, @expiresAt, @document)`,
  );
  const update = database.prepare('UPDATE sessions SET active = ?, expires_at = ?, document = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM sessions WHERE identity_id = ?');
  const filtered = (condition: string, end: string) =>
    database.prepare<object, Row>(`${COLUMNS} WHERE ${condition} AND ${FITS} ${NEWEST_FIRST} ${end}`);
  const at = (active: ActiveFilter) => ({ now: now(), active: active === undefined ? null : Number(active) });
  const pages = filtered('created_at <= @createdAt AND (created_at < @createdAt OR id > @id)', 'LIMIT @limit');
  const ofIdentity = filtered('identity_id = @identityId', '');
  const stored = (row: Row): StoredSession => ({
    document: JSON.parse(row.document) as SessionDocument,
    identityId: row.identity_id,
  });

  return {
    insert: ({ document, identityId }: StoredSession): void => {
      insert.run({
        id: document.id,
        identityId,
        active: document.active ? 1 : 0,
        createdAt: Date.parse(document.issued_at),
        expiresAt: Date.parse(document.expires_at),
        document: JSON.stringify(document),
      });
    },
    replace: (document: SessionDocument): void => {
      update.run(document.active ? 1 : 0, Date.parse(document.expires_at), JSON.stringify(document), document.id);
    },
    find: (id: string): StoredSession | undefined => {
      const row = byId.get(id);
      return row && stored(row);
    },
    /** At most `limit` sessions after a position as `positionOf` writes it, newest first. */
    page: (after: string, limit: number, active: ActiveFilter): StoredSession[] => {
      const [createdAt, id] = after.split('/');
      return pages.all({ createdAt: Number(createdAt), id, limit, ...at(active) }).map(stored);
    },
    ofIdentity: (identityId: string, active: ActiveFilter): StoredSession[] =>
      ofIdentity.all({ identityId, ...at(active) }).map(stored),
    removeOfIdentity: (identityId: string): number => remove.run(identityId).changes,
  };
}

const positionOf = ({ document }: StoredSession): string => `${Date.parse(document.issued_at)}/${document.id}`;
const FIRST = `${Number.MAX_SAFE_INTEGER}/`;

const MAX_SIZE = 1000;

export function addSessionRoutes(
  router: Router,
  parts: { identities: IdentityStore; sessions: ReturnType<typeof sessionStore>; publicUrl: string; now: () => number },
): void {
  const { identities, sessions, publicUrl, now } = parts;
  const refused = () => badMessage('could not parse parameter page_size');
  const list = { path: '/admin/sessions', defaultSize: 250, maxSize: MAX_SIZE, start: FIRST, refused };
  /** A session is active until it is revoked or expires, or its identity, if given, is deactivated. */
  const bodyOf = (
    { id, active, expires_at, devices: _stored, ...times }: SessionDocument,
    identity: IdentityDocument | undefined,
    devices: Device[] | null,
    view: IdentityView = { publicUrl },
  ) => ({
    id,
    active: active && Date.parse(expires_at) > now() && identity?.state !== 'inactive',
    expires_at,
    ...times,
    identity: identity ? identityBody(identity, { ...view, adminMetadata: false }) : null,
    devices,
  });
  const requested = (id: string): StoredSession => {
    const session = sessions.find(uuidIn(id));
    if (session === undefined) throw notFound();
    return session;
  };

  router.get('/sessions', (req, res) => {
    const query = queryOf(req);
    const { withIdentity, withDevices } = expansions(query);
    const active = activeFilter(query);
    const { rows, link } = cursorPage(query, list, (after, limit) => sessions.page(after, limit, active), positionOf);
    const bodies = rows.map(({ document, identityId }) => {
      const identity = withIdentity ? identities.find(identityId) : undefined;
      return bodyOf(document, identity, withDevices ? document.devices : null, { publicUrl, addresses: false });
    });
    res.set('Link', link).json(bodies);
  });
  router.get('/sessions/:id', (req, res) => {
    const { withIdentity, withDevices } = expansions(queryOf(req));
    const { document, identityId } = requested(req.params.id);
    const identity = withIdentity ? identities.find(identityId) : undefined;
    res.json(bodyOf(document, identity, withDevices ? document.devices : []));
  });
  router.delete('/sessions/:id', ({ params }, res) => {
    sessions.replace({ ...requested(params.id).document, active: false });
    res.setHeader('Content-Type', 'application/json; charset=utf-8');
    res.status(204).end();
  });
  router.patch('/sessions/:id/extend', ({ params }, res) => {
    const { document, identityId } = requested(params.id);
    const extended = { ...document, expires_at: new Date(now() + SESSION_LIFESPAN_MS).toISOString() };
    sessions.replace(extended);
    res.json(bodyOf(extended, identities.find(identityId), []));
  });
  // The pages are numbered. As in Kratos, pages 0 and 1 are the same, so no link leads to the rows of the last page.
  router.get('/identities/:id/sessions', (req, res) => {
    const id = uuidIn(req.params.id);
    const query = queryOf(req);
    const rows = sessions.ofIdentity(id, activeFilter(query));
    const page = pageRequest(query, MAX_SIZE);
    const from = Math.max(page.page - 1, 0) * page.size;
    const identity = identities.find(id);
    res.set(pageHeaders(`/admin/identities/${req.params.id}/sessions`, query, page, rows.length, true));
    const view = { publicUrl: undefined, addresses: false };
    const shown = rows.slice(from, from + page.size);
    res.json(shown.map(({ document }) => bodyOf(document, identity, document.devices, view)));
  });
  router.delete('/identities/:id/sessions', ({ params }, res) => {
    if (sessions.removeOfIdentity(uuidIn(params.id)) === 0) throw notFound();
    res.status(204).end();
  });
}

function uuidIn(id: string): string {
  if (!isUuid(id)) throw badMessage(uuidProblem(id));
  return id.toLowerCase();
}

function expansions(query: URLSearchParams): { withIdentity: boolean; withDevices: boolean } {
  const options = query.getAll('expand').map((option) => option.toLowerCase());
  for (const option of options)
    if (option !== 'identity' && option !== 'devices') throw malformed(`Could not parse expand option: ${option}`);
  return { withIdentity: options.includes('identity'), withDevices: options.includes('devices') };
}

function activeFilter(query: URLSearchParams): ActiveFilter {
  const text = query.get('active');
  if (!text) return undefined;
  if (text !== 'true' && text !== 'false') throw badMessage('could not parse parameter active');
  return text === 'true';
}

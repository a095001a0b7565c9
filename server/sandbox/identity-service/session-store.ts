import { BlockList, isIP } from 'node:net';
import type { Call } from '../http.ts';
import type { SandboxDatabase } from '../sandbox-database.ts';
import { type IdentityDocument, identityAnswer } from './identity-store.ts';

const PRIVATE = new BlockList();
for (const [network, prefix] of [
  ['10.0.0.0', 8],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
] as const)
  PRIVATE.addSubnet(network, prefix);
for (const [network, prefix] of [
  ['fc00::', 7],
  ['fe80::', 10],
  ['::1', 128],
] as const)
  PRIVATE.addSubnet(network, prefix, 'ipv6');

/** The device of a request as Kratos determines it: from proxy headers first, then from the socket, with its port. */
export function deviceOf({ headers, peer }: Pick<Call, 'headers' | 'peer'>): Omit<Device, 'id'> {
  const header = (name: string) => [headers[name] ?? []].flat()[0];
  const [city, country] = [header('cf-ipcity'), header('cf-ipcountry')];
  return {
    ip_address: header('true-client-ip') ?? header('x-real-ip') ?? forwardedFor(header('x-forwarded-for')) ?? peer,
    user_agent: header('user-agent') ?? null,
    location: [city, country].filter(Boolean).join(', '),
  };
}

/** The rightmost public address. */
function forwardedFor(list: string | undefined): string | undefined {
  return list
    ?.split(',')
    .map((address) => address.trim())
    .findLast((address) => isIP(address) !== 0 && !PRIVATE.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4'));
}

export interface SessionView {
  identity?: IdentityDocument;
  /** For the identity's `schema_url`, which is empty if undefined. */
  publicUrl?: string;
  addresses?: boolean;
  /** The value of devices that are not included: null in lists, `[]` in a single session. */
  devices: 'shown' | 'null' | 'empty';
}

/** True until the session is revoked or expires, or its identity, if given, is deactivated. */
export const isActive = (session: SessionDocument, identity: IdentityDocument | undefined, now: number): boolean =>
  session.active && Date.parse(session.expires_at) > now && identity?.state !== 'inactive';

/** @param now milliseconds since the epoch */
export function sessionAnswer(session: SessionDocument, view: SessionView, now: number): Record<string, unknown> {
  const { identity, publicUrl, addresses = true } = view;
  const { devices, active: _stored, id, ...times } = session;
  return {
    id,
    active: isActive(session, identity, now),
    ...times,
    identity: identity ? identityAnswer(identity, { publicUrl, addresses, adminMetadata: false }) : null,
    devices: view.devices === 'shown' ? devices : view.devices === 'empty' ? [] : null,
  };
}

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
  token: string;
}

/** The position in a list of sessions: newest first, then by id. */
export interface SessionPosition {
  id: string;
  /** Milliseconds since the epoch. */
  createdAt: number;
}

/** True: sessions neither revoked nor expired; false: the others; undefined: all. */
export type ActiveFilter = boolean | undefined;

export interface SessionStore {
  insert(session: StoredSession): void;
  replace(session: StoredSession): void;
  find(id: string): StoredSession | undefined;
  findByToken(token: string): StoredSession | undefined;
  /** At most `limit` sessions after `after`. */
  page(after: SessionPosition, limit: number, active: ActiveFilter): StoredSession[];
  /** @param except a session to omit */
  ofIdentity(identityId: string, active: ActiveFilter, except?: string): StoredSession[];
  /** Returns how many were removed. */
  removeOfIdentity(identityId: string): number;
}

interface Row {
  document: string;
  identity_id: string;
  token: string;
}

const COLUMNS = 'SELECT document, identity_id, token FROM sessions';
const NEWEST_FIRST = 'ORDER BY created_at DESC, id';
const IS_ACTIVE = '(active = 1 AND expires_at >= @now)';

/** @param now milliseconds since the epoch */
export function sessionStore(database: SandboxDatabase, now: () => number): SessionStore {
  const byId = database.prepare<[string], Row>(`${COLUMNS} WHERE id = ?`);
  const byToken = database.prepare<[string], Row>(`${COLUMNS} WHERE token = ?`);
  const insert = database.prepare(
    'INSERT INTO sessions (id, token, identity_id, active, created_at, expires_at, document) VALUES (?, ?, ?, ?, ?, ?, ?)',
  );
  const update = database.prepare('UPDATE sessions SET active = ?, expires_at = ?, document = ? WHERE id = ?');
  const remove = database.prepare('DELETE FROM sessions WHERE identity_id = ?');
  const filtered = (condition: string, end: string) => {
    const list = (activity: string) =>
      database.prepare<object, Row>(`${COLUMNS} WHERE ${condition} AND ${activity} ${NEWEST_FIRST} ${end}`);
    const statements = { all: list('@now = @now'), active: list(IS_ACTIVE), inactive: list(`NOT ${IS_ACTIVE}`) };
    return (active: ActiveFilter) =>
      active === undefined ? statements.all : active ? statements.active : statements.inactive;
  };
  const pages = filtered('created_at <= @createdAt AND (created_at < @createdAt OR id > @id)', 'LIMIT @limit');
  const ofIdentity = filtered('identity_id = @identityId AND id <> @except', '');

  const stored = (row: Row): StoredSession => ({
    document: JSON.parse(row.document) as SessionDocument,
    identityId: row.identity_id,
    token: row.token,
  });
  const one = (row: Row | undefined) => row && stored(row);

  return {
    insert: ({ document, identityId, token }) => {
      const { id, active, issued_at, expires_at } = document;
      insert.run(
        id,
        token,
        identityId,
        active ? 1 : 0,
        Date.parse(issued_at),
        Date.parse(expires_at),
        JSON.stringify(document),
      );
    },
    replace: ({ document }) => {
      update.run(document.active ? 1 : 0, Date.parse(document.expires_at), JSON.stringify(document), document.id);
    },
    find: (id) => one(byId.get(id)),
    findByToken: (token) => one(byToken.get(token)),
    page: (after, limit, active) =>
      pages(active)
        .all({ ...after, limit, now: now() })
        .map(stored),
    ofIdentity: (identityId, active, except = '') =>
      ofIdentity(active).all({ identityId, except, now: now() }).map(stored),
    removeOfIdentity: (identityId) => remove.run(identityId).changes,
  };
}

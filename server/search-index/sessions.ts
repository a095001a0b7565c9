import { formatDevice } from '../../shared/format-device.ts';
import { isUuid, membersOf, text, timeOf } from '../../shared/json.ts';
import { fold, hasWords } from '../../shared/text.ts';
import { addressIn } from '../geo/geo-lookup.ts';
import { gridPoint } from '../geo/map-points.ts';
import { canonicalAddress } from '../networks.ts';
import {
  addition,
  bytesOf,
  type Cursor,
  contains,
  type IndexDatabase,
  partsOf,
  QUARTER_MS,
  type Quarters,
  removalOfUnseen,
  type SqlValue,
  sqlConditions,
  type TimeLimit,
  transaction,
  trigramsOf,
  uuidOf,
} from './database.ts';

interface Place {
  label: string;
  lat: number;
  lng: number;
}

/** What the index stores of a session. Times are milliseconds since the epoch, 0 if the store does not report them. */
export interface SessionEntry {
  id: string;
  /** Empty if the store does not report it. */
  identityId: string;
  /** Whether the session was active when it was read: neither revoked nor expired, nor of a deactivated identity. */
  active: boolean;
  issuedAt: number;
  authenticatedAt: number;
  expiresAt: number;
  place: Place | undefined;
  /** Browser and operating system in words; empty if unknown. */
  device: string;
  /** Those of all its devices in canonical form, with a space before and after each. */
  addresses: string;
}

/** A session as the store lists it, without its location, which only the main thread can look up. */
export interface ListedSession extends Omit<SessionEntry, 'place'> {
  /** Empty if the store does not report it. */
  address: string;
}

const devicesOf = (session: Record<string, unknown>): Record<string, unknown>[] =>
  Array.isArray(session['devices']) ? session['devices'].map(membersOf) : [];

/** The first device with an address; a session has one device for each sign-in. */
export function sessionDevice(session: Record<string, unknown>): Record<string, unknown> {
  const devices = devicesOf(session);
  return devices.find((one) => text(one['ip_address']) !== '') ?? devices[0] ?? {};
}

/** @returns undefined if it is not a session */
export function listedSession(session: unknown): ListedSession | undefined {
  const fields = membersOf(session);
  const id = text(fields['id']);
  if (!isUuid(id)) return undefined;
  const identityId = text(membersOf(fields['identity'])['id']);
  const device = sessionDevice(fields);
  const userAgent = text(device['user_agent']);
  const addresses = devicesOf(fields).flatMap((one) => {
    const found = addressIn(text(one['ip_address']));
    return found === undefined ? [] : ` ${canonicalAddress(found)} `;
  });
  return {
    id: id.toLowerCase(),
    identityId: isUuid(identityId) ? identityId.toLowerCase() : '',
    active: fields['active'] === true,
    issuedAt: timeOf(fields['issued_at']),
    authenticatedAt: timeOf(fields['authenticated_at']),
    expiresAt: timeOf(fields['expires_at']),
    address: addressIn(text(device['ip_address'])) ?? '',
    device: userAgent === '' ? '' : formatDevice(userAgent),
    addresses: [...new Set(addresses)].join(''),
  };
}

/** Absent members do not filter. Words are as `searchTerms` returns them. */
export interface SessionsQuery {
  /** A point of the map's grid, or sessions without a known place. */
  circle?: { lat: number; lng: number } | 'unknown' | undefined;
  /** Words in the name of the location. */
  place?: readonly string[] | undefined;
  /** Words in the description of the device. */
  device?: readonly string[] | undefined;
  /** Words that find the identity. */
  identity?: readonly string[] | undefined;
  /** Authenticated after this time, in milliseconds since the epoch. */
  since?: number | undefined;
  /** Neither ended nor expired at this time. */
  activeAt?: number | undefined;
  /** Ended or expired at this time. */
  endedAt?: number | undefined;
  /** The IP address of one of its devices, in canonical form. */
  address?: string | undefined;
}

/** Per batch of a removal. */
const AT_ONCE = { visited: 10_000, removed: 500 };
/** `sessions.place` of sessions without a known location. */
const NOWHERE = 0;
const LATEST_FIRST = 'order by authenticated desc, id desc';

interface IndexedSession {
  number: number;
  identity: Buffer;
}

/** Stores sessions and searches them, latest sign-ins first. */
export function sessionsTable(database: IndexDatabase, limited: TimeLimit) {
  const placeBy = database.prepare('select number from places where label = ? and lat = ? and lng = ?').pluck();
  const addPlace = database.prepare('insert into places (label, lat, lng) values (?, ?, ?)');
  const put = database.prepare(
    `insert into sessions (id, identity, active, issued, authenticated, expires, place, device, addresses, pass)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set identity = excluded.identity, active = excluded.active, issued = excluded.issued,
       authenticated = excluded.authenticated, expires = excluded.expires, place = excluded.place,
       device = excluded.device, addresses = excluded.addresses, pass = excluded.pass`,
  );
  const sessionBy = database.prepare('select number, identity from sessions where id = ?');
  const sessionsOf = database.prepare('select number, identity from sessions where identity = ?');
  const endOne = database.prepare('update sessions set active = 0 where id = ?');
  const removeOne = database.prepare('delete from sessions where number = ?');
  const setLastSession = database.prepare(
    `update identities set last_session =
       coalesce((select max(authenticated) from sessions where identity = identities.id), 0) where id = ?`,
  );
  const size = database.prepare('select count(*) from sessions').pluck();
  database.function('folded', { deterministic: true }, (text) => fold(String(text)));

  function placeNumber(place: Place | undefined): number {
    if (place === undefined) return NOWHERE;
    const { label, lat, lng } = place;
    const known = placeBy.get(label, lat, lng) as number | undefined;
    return known ?? Number(addPlace.run(label, lat, lng).lastInsertRowid);
  }

  function removeAll(sessions: readonly IndexedSession[]): void {
    for (const { number } of sessions) removeOne.run(number);
    for (const { identity } of sessions) setLastSession.run(identity);
  }

  const value = (sql: string, ...values: unknown[]): number =>
    database
      .prepare(sql)
      .pluck()
      .get(...values) as number;

  function placesWhere(isThere: (place: Place) => boolean): number[] {
    const all = database.prepare('select number, label, lat, lng from places').all() as (Place & { number: number })[];
    return all.filter(isThere).map(({ number }) => number);
  }

  function where(query: SessionsQuery, after?: Cursor): { sql: string; values: SqlValue[] } {
    const { circle, place, device, identity, since, activeAt, endedAt, address } = query;
    const { add, sql, values } = sqlConditions();
    add('in_time(number)');
    const among = (numbers: readonly number[]): void => add(`place in (${numbers.join(', ')})`);
    if (circle === 'unknown') among([NOWHERE]);
    else if (circle !== undefined)
      among(
        placesWhere(({ lat, lng }) => {
          const point = gridPoint(lat, lng);
          return point.lat === circle.lat && point.lng === circle.lng;
        }),
      );
    if (place !== undefined) among(placesWhere(({ label }) => hasWords(label, place)));
    if (device !== undefined) add(contains(device, 'folded(device)'), ...device);
    if (identity !== undefined) {
      const parts = partsOf(identity);
      add(
        `identity in (select identities.id from texts join identities on identities.number = texts.rowid
           where texts match ? and in_time(identities.number) and ${contains(parts, 'identities.document')})`,
        trigramsOf(parts),
        ...parts,
      );
    }
    if (since !== undefined) add('authenticated > ?', since);
    if (activeAt !== undefined) add('active = 1 and (expires = 0 or expires > ?)', activeAt);
    if (endedAt !== undefined) add('(active = 0 or (expires > 0 and expires <= ?))', endedAt);
    if (address !== undefined) add('instr(addresses, ?) > 0', ` ${address} `);
    if (after !== undefined) add('(authenticated, id) < (?, ?)', after.value, bytesOf(after.id));
    return { sql: sql(), values };
  }

  return {
    put: addition(database, (sessions: readonly SessionEntry[], sync: number) => {
      for (const session of sessions) {
        const { active, issuedAt, authenticatedAt, expiresAt, place, device, addresses } = session;
        const identity = bytesOf(session.identityId);
        const times = [issuedAt, authenticatedAt, expiresAt];
        put.run(bytesOf(session.id), identity, Number(active), ...times, placeNumber(place), device, addresses, sync);
        setLastSession.run(identity);
      }
    }),
    hasAll: (ids: readonly string[]): boolean => ids.every((id) => sessionBy.get(bytesOf(id)) !== undefined),
    remove: transaction(database, (ids: readonly string[]) =>
      removeAll(ids.flatMap((id) => (sessionBy.get(bytesOf(id)) as IndexedSession | undefined) ?? [])),
    ),
    /** Marks sessions as ended, although the store still lists them. */
    end: transaction(database, (ids: readonly string[]) => {
      for (const id of ids) endOne.run(bytesOf(id));
    }),
    removeOf: transaction(database, (identities: readonly string[]) => {
      for (const id of identities) removeAll(sessionsOf.all(bytesOf(id)) as IndexedSession[]);
    }),
    removeBefore: removalOfUnseen<IndexedSession>(database, 'sessions', 'identity', AT_ONCE, removeAll),
    size: (): number => size.get() as number,
    numbers: (at: number) => ({
      sessions: size.get() as number,
      active: value('select count(*) from sessions where active = 1 and (expires = 0 or expires > ?)', at),
      /** When the earliest session began; 0 if unknown. */
      since: value(
        'select coalesce(min(nullif(case when issued > 0 then issued else authenticated end, 0)), 0) from sessions',
      ),
      quarters: database
        .prepare(
          `select authenticated / ${QUARTER_MS} as quarter, count(*) as count from sessions
           where authenticated > 0 group by quarter`,
        )
        .all() as Quarters,
    }),
    /** @throws SearchTooLong */
    page: (query: SessionsQuery, size: number, after: Cursor | undefined) =>
      limited(() => {
        const all = where(query);
        const rest = where(query, after);
        const rows = database
          .prepare(`select id, authenticated from sessions where ${rest.sql} ${LATEST_FIRST} limit ${size + 1}`)
          .all(...rest.values) as { id: Buffer; authenticated: number }[];
        const last = rows.length > size ? rows[size - 1] : undefined;
        return {
          ids: rows.slice(0, size).map(({ id }) => uuidOf(id)),
          /** Undefined if there are no more rows. */
          next: last && { value: last.authenticated, id: uuidOf(last.id) },
          total: value(`select count(*) from sessions where ${all.sql}`, ...all.values),
        };
      }),
    /** @throws SearchTooLong */
    ids: (query: SessionsQuery, most: number): string[] =>
      limited(() => {
        const { sql, values } = where(query);
        const found = database.prepare(`select id from sessions where ${sql} ${LATEST_FIRST} limit ${most}`).pluck();
        return (found.all(...values) as Buffer[]).map(uuidOf);
      }),
    /** Counts by place. @throws SearchTooLong */
    places: (query: SessionsQuery) =>
      limited(() => {
        const { sql, values } = where(query);
        const rows = database
          .prepare(
            `select label, lat, lng, count from
               (select place, count(*) as count from sessions where ${sql} group by place) as counted
             left join places on places.number = counted.place`,
          )
          .all(...values) as { label: string | null; lat: number; lng: number; count: number }[];
        return rows.map(({ label, lat, lng, count }) => ({
          place: label === null ? undefined : { label, lat, lng },
          count,
        }));
      }),
  };
}

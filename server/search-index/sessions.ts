import { fold, hasWords } from '../../shared/text.ts';
import { gridPoint } from '../geo/map-points.ts';
import type { TimeLimit } from './database.ts';
import { type IndexDatabase, isFull } from './database.ts';
import {
  bytesOf,
  isInDocument,
  type Place,
  QUARTER_MS,
  type Quarters,
  soughtFor,
  trigramsOf,
  uuidOf,
} from './full-text.ts';

/** What the index keeps of a session. Times are milliseconds since the epoch; 0 if the store does not say. */
export interface SessionEntry {
  id: string;
  /** Empty if the store does not say. */
  identityId: string;
  /** As the store said: not revoked, not expired then, and not of a deactivated identity. */
  active: boolean;
  issuedAt: number;
  authenticatedAt: number;
  expiresAt: number;
  place: { label: string; lat: number; lng: number } | undefined;
  /** Program and system in words; empty if unknown. */
  device: string;
}

export interface SessionsIndex {
  /** @returns false if the index is full; then some of them may be missing */
  put(sessions: readonly SessionEntry[], pass: number): boolean;
  /** Whether all of these are known already. */
  knows(ids: readonly string[]): boolean;
  remove(ids: readonly string[]): void;
  /** They ended, but the store still lists them. */
  end(ids: readonly string[]): void;
  /** The store no longer has any of these people. */
  removeOf(people: readonly string[]): void;
  /** As `PeopleIndex.removeBefore`. */
  removeBefore(pass: number, after: number): number | undefined;
  size(): number;
  /** `since` is when the first of them began; 0 if nobody knows. */
  numbers(at: number): { active: number; since: number; quarters: Quarters };
}

interface Known {
  number: number;
  person: Buffer;
}
/** How many rows a slice of a removal looks at, and how many it removes. */
const LOOKED_AT_ONCE = 10_000;
const REMOVED_AT_ONCE = 500;

export function sessionsIndex(database: IndexDatabase): SessionsIndex {
  const placeBy = database.prepare('select number from places where label = ? and lat = ? and lng = ?').pluck();
  const addPlace = database.prepare('insert into places (label, lat, lng) values (?, ?, ?)');
  const put = database.prepare(
    `insert into sessions (id, person, active, issued, authenticated, expires, place, device, pass)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?)
     on conflict (id) do update set person = excluded.person, active = excluded.active, issued = excluded.issued,
       authenticated = excluded.authenticated, expires = excluded.expires, place = excluded.place,
       device = excluded.device, pass = excluded.pass`,
  );
  const sessionBy = database.prepare('select number, person from sessions where id = ?');
  const sessionsOf = database.prepare('select number, person from sessions where person = ?');
  const endOne = database.prepare('update sessions set active = 0 where id = ?');
  const outdated = database.prepare(
    `select number, person from sessions where number > ? and number <= ? and pass < ? order by number
     limit ${REMOVED_AT_ONCE}`,
  );
  const last = database.prepare('select max(number) from sessions').pluck();
  const removeOne = database.prepare('delete from sessions where number = ?');
  const setLast = database.prepare(
    `update people set last_session = coalesce((select max(authenticated) from sessions where person = people.id), 0)
     where id = ?`,
  );
  const size = database.prepare('select count(*) from sessions').pluck();
  const numbers = new Map<string, number>();

  function numberOf(place: SessionEntry['place']): number {
    if (place === undefined) return 0;
    const { label, lat, lng } = place;
    const key = `${label} ${lat} ${lng}`;
    const known = numbers.get(key) ?? (placeBy.get(label, lat, lng) as number | undefined);
    const number = known ?? Number(addPlace.run(label, lat, lng).lastInsertRowid);
    numbers.set(key, number);
    return number;
  }

  const putAll = database.transaction((sessions: readonly SessionEntry[], pass: number) => {
    for (const session of sessions) {
      const { active, issuedAt, authenticatedAt, expiresAt, place, device } = session;
      const person = bytesOf(session.identityId);
      const times = [issuedAt, authenticatedAt, expiresAt];
      put.run(bytesOf(session.id), person, Number(active), ...times, numberOf(place), device, pass);
      setLast.run(person);
    }
  });

  function remove(known: readonly Known[]): void {
    for (const { number } of known) removeOne.run(number);
    for (const { person } of known) setLast.run(person);
  }

  return {
    put(sessions, pass) {
      try {
        if (isFull(database)) return false;
        putAll(sessions, pass);
        return true;
      } catch (error) {
        numbers.clear();
        if ((error as { code?: string }).code === 'SQLITE_FULL') return false;
        throw error;
      }
    },
    knows: (ids) => ids.every((id) => sessionBy.get(bytesOf(id)) !== undefined),
    remove: database.transaction((ids: readonly string[]) =>
      remove(ids.map((id) => sessionBy.get(bytesOf(id)) as Known | undefined).filter((known) => known !== undefined)),
    ),
    end: database.transaction((ids: readonly string[]) => {
      for (const id of ids) endOne.run(bytesOf(id));
    }),
    removeOf: database.transaction((people: readonly string[]) => {
      for (const id of people) remove(sessionsOf.all(bytesOf(id)) as Known[]);
    }),
    removeBefore: database.transaction((pass: number, after: number) => {
      const end = after + LOOKED_AT_ONCE;
      const gone = outdated.all(after, end, pass) as Known[];
      remove(gone);
      if (gone.length === REMOVED_AT_ONCE) return gone.at(-1)?.number;
      return end < ((last.get() as number | null) ?? 0) ? end : undefined;
    }),
    size: () => size.get() as number,
    numbers(at) {
      const one = (sql: string, ...values: number[]): number =>
        database
          .prepare(sql)
          .pluck()
          .get(...values) as number;
      const quarters = database
        .prepare(
          `select authenticated / ${QUARTER_MS} as quarter, count(*) as count from sessions
           where authenticated > 0 group by quarter`,
        )
        .all() as Quarters;
      return {
        active: one('select count(*) from sessions where active = 1 and (expires = 0 or expires > ?)', at),
        since: one(
          'select coalesce(min(nullif(case when issued > 0 then issued else authenticated end, 0)), 0) from sessions',
        ),
        quarters,
      };
    },
  };
}

/** Absent members do not filter. */
export interface SessionQuestion {
  /** At a point of the map's grid, or where nobody knows. */
  circle?: { lat: number; lng: number } | 'unknown' | undefined;
  /** Words: each is any part of the place's name. */
  place?: readonly string[] | undefined;
  /** Words: each is any part of the device in words. */
  device?: readonly string[] | undefined;
  /** Words: of people who are found by them. */
  person?: readonly string[] | undefined;
  /** Signed in to after this time, in milliseconds since the epoch. */
  since?: number | undefined;
  /** Neither ended nor expired at this time. */
  activeAt?: number | undefined;
}

export interface FoundSessions {
  ids: string[];
  /** The place of the last row; undefined if there are no more rows. */
  next: Place | undefined;
  total: number;
}

export type PlaceCounts = { place: SessionEntry['place']; count: number }[];

/** Questions about the sessions in the index, each answered in one turn. */
export interface SessionSearch {
  /** The latest sign-ins first. @throws TooLong */
  page(question: SessionQuestion, size: number, after: Place | undefined, deadline: number): FoundSessions;
  /** The latest first. @param most stop there. @throws TooLong */
  ids(question: SessionQuestion, deadline: number, most: number): string[];
  /** Counts by place; those without one have none. @throws TooLong */
  places(question: SessionQuestion, deadline: number): PlaceCounts;
}

/** `sessions.place` of those without one. */
const NOWHERE = 0;
const LATEST = 'order by authenticated desc, id desc';

export function sessionSearch(database: IndexDatabase, { within }: TimeLimit): SessionSearch {
  database.function('folded', { deterministic: true }, (text) => fold(String(text)));

  function placesWhere(isThere: (place: { label: string; lat: number; lng: number }) => boolean): number[] {
    const all = database.prepare('select number, label, lat, lng from places').all() as {
      number: number;
      label: string;
      lat: number;
      lng: number;
    }[];
    return all.filter(isThere).map(({ number }) => number);
  }

  function where(question: SessionQuestion, after?: Place): { sql: string; values: (string | number | Buffer)[] } {
    const { circle, place, device, person, since, activeAt } = question;
    const parts = ['in_time(number)'];
    const values: (string | number | Buffer)[] = [];
    const add = (sql: string, ...more: typeof values): void => {
      parts.push(sql);
      values.push(...more);
    };
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
    if (device !== undefined) add(isInDocument(device, 'folded(device)'), ...device);
    if (person !== undefined) {
      const sought = soughtFor(person);
      add(
        `person in (select people.id from texts join people on people.number = texts.rowid
           where texts match ? and in_time(people.number) and ${isInDocument(sought, 'people.document')})`,
        trigramsOf(sought),
        ...sought,
      );
    }
    if (since !== undefined) add('authenticated > ?', since);
    if (activeAt !== undefined) add('active = 1 and (expires = 0 or expires > ?)', activeAt);
    if (after !== undefined) add('(authenticated, id) < (?, ?)', after.value, bytesOf(after.id));
    return { sql: parts.join(' and '), values };
  }

  return {
    page: (question, size, after, until) =>
      within(until, () => {
        const all = where(question);
        const rest = where(question, after);
        const found = database
          .prepare(`select id, authenticated from sessions where ${rest.sql} ${LATEST} limit ${size + 1}`)
          .all(...rest.values) as { id: Buffer; authenticated: number }[];
        const last = found.length > size ? found[size - 1] : undefined;
        const total = database.prepare(`select count(*) from sessions where ${all.sql}`).pluck();
        return {
          ids: found.slice(0, size).map(({ id }) => uuidOf(id)),
          next: last && { value: last.authenticated, id: uuidOf(last.id) },
          total: total.get(...all.values) as number,
        };
      }),
    ids: (question, until, most) =>
      within(until, () => {
        const { sql, values } = where(question);
        const found = database.prepare(`select id from sessions where ${sql} ${LATEST} limit ${most}`).pluck();
        return (found.all(...values) as Buffer[]).map(uuidOf);
      }),
    places: (question, until) =>
      within(until, () => {
        const { sql, values } = where(question);
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

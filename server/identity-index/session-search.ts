import { fold } from '../../shared/fold.ts';
import { hasWords } from '../../shared/question-words.ts';
import { gridPoint } from '../geo/map-points.ts';
import { isInDocument, soughtFor, trigramsOf } from './full-text.ts';
import type { IndexDatabase } from './index-database.ts';
import type { Place } from './question.ts';
import type { SessionEntry } from './sessions-index.ts';
import type { TimeLimit } from './time-limit.ts';
import { bytesOf, uuidOf } from './uuid-bytes.ts';

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

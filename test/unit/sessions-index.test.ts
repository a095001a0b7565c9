import assert from 'node:assert/strict';
import fc from 'fast-check';
import { gridPoint } from '../../server/geo/map-points.ts';
import { openInMemory } from '../../server/identity-index/index-database.ts';
import { peopleIndex } from '../../server/identity-index/people-index.ts';
import { peopleSearch } from '../../server/identity-index/people-search.ts';
import { QUARTER_MS } from '../../server/identity-index/quarters.ts';
import {
  type Circle,
  type SessionEntry,
  type SessionFilter,
  sessionsIndex,
} from '../../server/identity-index/sessions-index.ts';
import type { PersonEntry } from '../../shared/person-entry.ts';
import { drawn } from '../support/drawn.ts';

const id = (number: number, kind = '5e55'): string =>
  `${number.toString(16).padStart(8, '0')}-0000-4000-8000-00000000${kind}`;
const PLACES = [
  { label: 'Oslo, Norway', lat: 59.91, lng: 10.75 },
  { label: 'Drammen, Norway', lat: 59.9, lng: 10.8 },
  { label: 'Suva, Fiji', lat: -18.1, lng: 178.4 },
  undefined,
];

function session(number: number, over: Partial<SessionEntry> = {}): SessionEntry {
  return {
    id: id(number),
    identityId: id(number, '1de7'),
    active: true,
    issuedAt: number,
    authenticatedAt: number,
    expiresAt: 0,
    place: PLACES[0],
    device: 'Firefox on Linux',
    ...over,
  };
}

const person = (number: number): PersonEntry => ({
  id: id(number, '1de7'),
  schemaId: 'customer',
  active: true,
  verified: undefined,
  createdAt: 1,
  updatedAt: 1,
  identifier: '',
  texts: [],
});

function indexes() {
  const database = openInMemory(64 * 1_048_576);
  return {
    sessions: sessionsIndex(database),
    people: { ...peopleIndex(database), ...peopleSearch(database, () => 0) },
  };
}

const fits = ({ active, authenticatedAt, expiresAt }: SessionEntry, { since, activeAt }: SessionFilter): boolean =>
  (since === undefined || authenticatedAt > since) &&
  (activeAt === undefined || (active && (expiresAt === 0 || expiresAt > activeAt)));

describe('sessions in the index', () => {
  const time = fc.integer({ min: 0, max: 9 });
  const anything = fc.record({
    active: fc.boolean(),
    issuedAt: time,
    authenticatedAt: time.map((at) => at * QUARTER_MS),
    expiresAt: time,
    place: fc.constantFrom(...PLACES),
  });
  const filter = fc.record({ since: time.map((at) => at * QUARTER_MS), activeAt: time }, { requiredKeys: [] });

  it('are counted by place, quarter and state, and found by circle, as reading them all would', () => {
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 25 }), filter, (some, asked) => {
        const all = some.map((one, number) => session(number, one));
        const { sessions } = indexes();
        assert.equal(sessions.put(all, 1), true);
        const fitting = all.filter((one) => fits(one, asked));

        const counted = new Map(sessions.places(asked).map(({ place, count }) => [place?.label, count]));
        for (const place of PLACES)
          assert.equal(counted.get(place?.label) ?? 0, fitting.filter((one) => one.place === place).length);

        const circleOf = ({ place }: SessionEntry): Circle =>
          place === undefined ? 'unknown' : gridPoint(place.lat, place.lng);
        for (const place of PLACES) {
          const circle = place === undefined ? 'unknown' : gridPoint(place.lat, place.lng);
          const there = fitting
            .filter((one) => JSON.stringify(circleOf(one)) === JSON.stringify(circle))
            .sort((a, b) => b.authenticatedAt - a.authenticatedAt || (a.id < b.id ? -1 : 1));
          assert.deepEqual(sessions.located(circle, asked, 5), {
            ids: there.slice(0, 5).map((one) => one.id),
            total: there.length,
          });
        }

        const numbers = sessions.numbers(4);
        assert.equal(numbers.active, all.filter((one) => fits(one, { activeAt: 4 })).length);
        for (const { quarter, count } of numbers.quarters)
          assert.equal(
            count,
            all.filter(({ authenticatedAt }) => authenticatedAt / QUARTER_MS === quarter && quarter > 0).length,
          );
        assert.equal(
          numbers.quarters.reduce((sum, { count }) => sum + count, 0),
          all.filter(({ authenticatedAt }) => authenticatedAt > 0).length,
        );
      }),
      drawn(100),
    );
  });

  it('say when their person was last seen, whichever was read first, and no more once they are gone', () => {
    const { sessions, people } = indexes();
    const seen = (since: number): number => people.count({ lastSession: { from: since } }, Number.POSITIVE_INFINITY);
    const of = (number: number, authenticatedAt: number): SessionEntry =>
      session(number, { identityId: id(1, '1de7'), authenticatedAt });
    sessions.put([of(10, 500)], 1);
    people.put([person(1), person(2)], 1);
    assert.equal(seen(500), 1);
    sessions.put([of(11, 900)], 1);
    assert.equal(seen(900), 1);
    people.put([person(1)], 2);
    assert.equal(seen(900), 1);
    sessions.remove([id(11), id(77)]);
    assert.equal(seen(501), 0);
    assert.equal(seen(500), 1);
    assert.equal(sessions.removeBefore(2), 1);
    assert.equal(seen(1), 0);
    assert.equal(people.count({ lastSession: 'none' }, Number.POSITIVE_INFINITY), 2);
  });

  it('are known by id, and replaced by what was read last', () => {
    const { sessions } = indexes();
    sessions.put([session(1), session(2)], 1);
    assert.equal(sessions.knows([id(1), id(2)]), true);
    assert.equal(sessions.knows([id(1), id(3)]), false);
    sessions.put([session(1, { active: false, place: PLACES[2] })], 2);
    assert.equal(sessions.size(), 2);
    assert.equal(sessions.numbers(0).active, 1);
    assert.deepEqual(sessions.located(gridPoint(-18.1, 178.4), {}, 9), { ids: [id(1)], total: 1 });
  });
});

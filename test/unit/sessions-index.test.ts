import assert from 'node:assert/strict';
import fc from 'fast-check';
import { gridPoint } from '../../server/geo/map-points.ts';
import { indexCommands } from '../../server/search-index/commands.ts';
import { openInMemory } from '../../server/search-index/database.ts';
import { type Cursor, QUARTER_MS } from '../../server/search-index/full-text.ts';
import type { SessionEntry, SessionsQuery } from '../../server/search-index/sessions.ts';
import { hasWords, isFoundBy, searchTerms } from '../../shared/text.ts';
import { seeded } from '../support/seeded.ts';

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

/** A page of the store with these people, whose names are their numbers. */
const page = (...numbers: number[]): string =>
  JSON.stringify(
    numbers.map((number) => ({
      id: id(number, '1de7'),
      schema_id: 'customer',
      state: 'active',
      traits: { name: `Number ${number}` },
      created_at: '2026-01-01T00:00:00Z',
    })),
  );

const commands = () => indexCommands(openInMemory(64 * 1_048_576), () => 0);

function circleOf({ place }: SessionEntry): SessionsQuery['circle'] {
  return place === undefined ? 'unknown' : gridPoint(place.lat, place.lng);
}
const fits = (session: SessionEntry, { circle, place, device, person, since, activeAt }: SessionsQuery): boolean =>
  (circle === undefined || JSON.stringify(circleOf(session)) === JSON.stringify(circle)) &&
  (place === undefined || hasWords(session.place?.label ?? '', place)) &&
  (device === undefined || hasWords(session.device, device)) &&
  (person === undefined || isFoundBy(['number', String(Number.parseInt(session.identityId, 16))], person)) &&
  (since === undefined || session.authenticatedAt > since) &&
  (activeAt === undefined || (session.active && (session.expiresAt === 0 || session.expiresAt > activeAt)));

function countsOf<T>(values: readonly T[]): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}

describe('sessions in the index', () => {
  const time = fc.integer({ min: 0, max: 9 });
  const anything = fc.record({
    active: fc.boolean(),
    issuedAt: time,
    authenticatedAt: time.map((at) => at * QUARTER_MS),
    expiresAt: time,
    place: fc.constantFrom(...PLACES),
    device: fc.constantFrom('Firefox on Linux', 'Safári on iOS', ''),
  });
  const counted = {
    circle: fc.constantFrom(...PLACES.map((place) => circleOf(session(0, { place }))), { lat: 1, lng: 1 }),
    since: time.map((at) => at * QUARTER_MS),
    activeAt: time,
  };
  const narrowed = {
    place: fc.constantFrom('norway', 'Norway OSLO', 'é').map(searchTerms),
    device: fc.constantFrom('safari', 'LINUX', 'on').map(searchTerms),
    person: fc.constantFrom('1, umber', 'Nu', '2', 'number').map(searchTerms),
  };
  const question = fc.record({ ...counted, ...narrowed }, { requiredKeys: [] }) as fc.Arbitrary<SessionsQuery>;

  it('are counted by place, quarter and state, and found page by page, as reading them all would', () =>
    fc.assert(
      fc.property(fc.array(anything, { maxLength: 25 }), question, (some, asked) => {
        const all = some.map((one, number) => session(number, one));
        const index = commands();
        index.putPeople(page(...all.keys()), 1);
        assert.deepEqual(index.putSessions(all, 1), { fits: true, known: all.length === 0 });
        const expected = all
          .filter((one) => fits(one, asked))
          .sort((a, b) => b.authenticatedAt - a.authenticatedAt || (a.id < b.id ? 1 : -1));
        const ids = expected.map((one) => one.id);

        const places = index.countPlaces(asked);
        assert.deepEqual(
          new Map(places.map(({ place, count }) => [place?.label, count])),
          countsOf(expected.map(({ place }) => place?.label)),
        );
        const found: string[] = [];
        for (let after: Cursor | undefined; ; ) {
          const part = index.searchSessions(asked, 3, after);
          assert.equal(part.total, ids.length);
          found.push(...part.ids);
          after = part.next;
          if (after === undefined) break;
        }
        assert.deepEqual(found, ids);
        assert.deepEqual(index.sessionIds(asked, 4), ids.slice(0, 4));

        const { sessions: numbers } = index.numbers(4);
        assert.equal(numbers.sessions, all.length);
        assert.equal(numbers.active, all.filter((one) => fits(one, { activeAt: 4 })).length);
        const times = all.map(({ issuedAt, authenticatedAt }) => issuedAt || authenticatedAt).filter(Boolean);
        assert.equal(numbers.since, times.length === 0 ? 0 : Math.min(...times));
        assert.deepEqual(
          new Map(numbers.quarters.map(({ quarter, count }) => [quarter, count])),
          countsOf(all.map(({ authenticatedAt }) => authenticatedAt / QUARTER_MS).filter(Boolean)),
        );
      }),
      seeded(60),
    ));

  it('say when their person was last seen, whichever was read first, and no more once they are gone', () => {
    const index = commands();
    const seen = (since: number): unknown => index.countPeople({ lastSession: { from: since } });
    const of = (number: number, authenticatedAt: number): SessionEntry =>
      session(number, { identityId: id(1, '1de7'), authenticatedAt });
    index.putSessions([of(10, 500)], 1);
    index.putPeople(page(1, 2), 1);
    index.putSessions([of(11, 900)], 1);
    index.putPeople(page(1), 2);
    assert.deepEqual([seen(900), seen(901)], [1, 0]);
    assert.equal(index.countPeople({ lastSession: { to: 901, orNone: true } }), 2);
    index.remove('sessions', [id(11), id(77)]);
    assert.deepEqual([seen(501), seen(500)], [0, 1]);
    index.removeUnseen('sessions', 2, 0);
    assert.equal(index.countPeople({ lastSession: 'none' }), 2);
  });
});

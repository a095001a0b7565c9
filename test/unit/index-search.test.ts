import assert from 'node:assert/strict';
import fc from 'fast-check';
import { gridPoint } from '../../server/geo/map-points.ts';
import { indexCommands } from '../../server/search-index/commands.ts';
import { type IndexDatabase, openInMemory, SearchTooLong, timeLimit } from '../../server/search-index/database.ts';
import {
  type Cursor,
  type Order,
  type PeopleQuery,
  partsOf,
  QUARTER_MS,
  trigramsOf,
} from '../../server/search-index/full-text.ts';
import { peopleTable } from '../../server/search-index/people.ts';
import type { SessionEntry, SessionsQuery } from '../../server/search-index/sessions.ts';
import type { Period, PersonEntry } from '../../shared/identities.ts';
import { hasWords, isFoundBy, searchTerms, wordsOf } from '../../shared/text.ts';
import { seeded } from '../support/seeded.ts';

const FAR = Number.POSITIVE_INFINITY;
const MB = 1_048_576;

const bytewise = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

describe('people in the index', () => {
  const id = (number: number): string => `${number.toString(16).padStart(8, '0')}-0000-4000-8000-000000000000`;

  function person(number: number, over: Partial<PersonEntry> = {}): PersonEntry {
    const identifier = `person${number}@example.org`;
    return {
      id: id(number),
      schemaId: 'customer',
      active: true,
      verified: true,
      createdAt: number,
      updatedAt: number,
      identifier,
      role: '',
      words: [identifier],
      ...over,
    };
  }

  type Index = ReturnType<typeof peopleTable>;
  /** @param now @param searchMs how long a search may take by that clock */
  const indexIn = (database: IndexDatabase, now = () => 0, searchMs?: number): Index =>
    peopleTable(database, timeLimit(database, now, searchMs));
  function indexOf(people: readonly PersonEntry[], database = openInMemory(64 * MB)): Index {
    const index = indexIn(database);
    assert.equal(index.put(people, 1), true);
    return index;
  }
  const idsOf = ({ people }: ReturnType<Index['page']>): string[] => people.map(({ id }) => id);

  function allPages(index: Index, question: PeopleQuery, order: Order, size: number): string[] {
    const ids: string[] = [];
    for (let after: Cursor | undefined; ; ) {
      const page = index.page(question, order, size, after);
      ids.push(...idsOf(page));
      if (page.next === undefined) return ids;
      assert.equal(page.people.length, size);
      after = page.next;
    }
  }

  /** The same by reading everybody. */
  function expected(people: readonly PersonEntry[], question: PeopleQuery, { by, descending }: Order): string[] {
    const isWithin = (time: number, { from = -1, to = FAR }: Period = {}): boolean => time >= from && time < to;
    const sortedBy = (one: PersonEntry): string | number =>
      ({ created: one.createdAt, updated: one.updatedAt, identifier: one.identifier, last_session: 0 })[by];
    const compared = (a: string | number, b: string | number): number =>
      typeof a === 'string' ? bytewise(a, String(b)) : a - Number(b);
    return people
      .filter(
        (one) =>
          (question.words === undefined || isFoundBy(one.words, question.words)) &&
          (question.active === undefined || one.active === question.active) &&
          (question.schemaId === undefined || one.schemaId === question.schemaId) &&
          (question.verified === undefined || (one.verified === true) === question.verified) &&
          isWithin(one.createdAt, question.created) &&
          isWithin(one.updatedAt, question.updated) &&
          (question.lastSession === undefined || question.lastSession === 'none'),
      )
      .sort((a, b) => (compared(sortedBy(a), sortedBy(b)) || compared(a.id, b.id)) * (descending ? -1 : 1))
      .map(({ id }) => id);
  }

  const words = fc.constantFrom(
    'ada',
    'Ada',
    'ädä',
    'lovelace',
    'a',
    'li',
    '李',
    '李小龍',
    'Ⅷ',
    'x"y',
    '*',
    'NEAR',
    'aaaaaaa',
    'bab',
    '(',
  );
  const anyText = fc.oneof(words, fc.string({ minLength: 1, maxLength: 4, unit: 'grapheme' }));
  const time = fc.integer({ min: 0, max: 6 });
  const period = fc.record({ from: time, to: time }, { requiredKeys: [] });
  const anyone = fc.record({
    schemaId: fc.constantFrom('customer', 'partner', ''),
    active: fc.boolean(),
    verified: fc.constantFrom(true, false, undefined),
    createdAt: time,
    updatedAt: time,
    words: fc
      .array(fc.array(anyText, { minLength: 1, maxLength: 4 }), { maxLength: 3 })
      .map((texts) => wordsOf(texts.map((parts) => parts.join(' ')))),
  });
  const question = fc.record(
    {
      words: fc
        .array(anyText, { minLength: 1, maxLength: 3 })
        .map((parts) => searchTerms(parts.join(' ')))
        .filter((asked) => asked.length > 0),
      active: fc.boolean(),
      schemaId: fc.constantFrom('customer', 'partner', 'unknown'),
      verified: fc.boolean(),
      created: period,
      updated: period,
      lastSession: fc.constantFrom({ from: 1 }, 'none' as const),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<PeopleQuery>;
  const order: fc.Arbitrary<Order> = fc.record({
    by: fc.constantFrom('created', 'updated', 'identifier', 'last_session'),
    descending: fc.boolean(),
  });

  it('are found, counted, ordered and paged as if everyone were read', () => {
    fc.assert(
      fc.property(
        fc.array(anyone, { maxLength: 30 }),
        question,
        order,
        fc.integer({ min: 1, max: 9 }),
        (some, question, order, size) => {
          const people = some.map((one, number) => person(number, { ...one, identifier: one.words[0] ?? '' }));
          const index = indexOf(people);
          const all = expected(people, question, order);
          assert.deepEqual(allPages(index, question, order, size), all);
          assert.equal(index.count(question), all.length);
          assert.deepEqual(index.ids(question, 100), all.toSorted());
        },
      ),
      seeded(100),
    );
  });

  // More than are sorted: rows come from the index of their order instead.
  it('are found the same way if 11,000 match, within the time limit of a search', () => {
    const people = Array.from({ length: 11_000 }, (_, number) =>
      person(number, { active: number % 3 > 0, createdAt: number % 977 }),
    );
    const database = openInMemory(64 * MB);
    const index = indexOf(people, database);
    const order: Order = { by: 'created', descending: true };
    for (const question of [
      { words: ['example'] },
      { words: ['example'], active: false, created: { from: 100, to: 200 } },
      { active: true },
    ] satisfies PeopleQuery[]) {
      const all = expected(people, question, order);
      assert.deepEqual(allPages(index, question, order, 1_999), all);
      assert.equal(index.count(question), all.length);
    }
    let clock = 0;
    const limited = indexIn(database, () => (clock += 1), 2);
    const common: PeopleQuery = { words: ['example'], active: true };
    assert.throws(() => limited.count(common), SearchTooLong);
    assert.throws(() => limited.ids(common, 30_000), SearchTooLong);
    const nobody: PeopleQuery = { words: ['example'], created: { from: 400 }, updated: { to: 300 } };
    assert.throws(() => limited.page(nobody, { ...order, by: 'identifier' }, 25, undefined), SearchTooLong);
  });

  it('are searched by at most twelve different trigrams, however long and repetitive a text is', () => {
    const sought = (text: string): string[] => trigramsOf(partsOf([text])).split(' AND ');
    assert.deepEqual(sought('a'.repeat(255)), ['"aaa"']);
    assert.deepEqual(sought('x"y!'), ['"x""y"', '"""y!"']);
    const long = sought(Array.from({ length: 255 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(''));
    assert.deepEqual([long.length, long[0], long[11]], [12, '"一丁丂"', '"仼份仾"']);
  });

  it('are limited: a full index says so, keeps its rows, responds, and has room again after removals', () => {
    const index = indexIn(openInMemory(2 * MB));
    let number = 0;
    const hundred = (): PersonEntry[] => Array.from({ length: 100 }, () => person(number++));
    while (index.put(hundred(), 1)) assert.ok(number < 20_000);
    assert.ok(index.size() > 1_000 && index.size() >= number - 100);
    assert.equal(index.count({ words: ['example'] }), index.size());
    index.remove(Array.from({ length: 1_000 }, (_, removed) => id(removed)));
    assert.equal(index.put(hundred(), 1), true);
  });

  it('leave no text behind when removed', () => {
    const database = openInMemory(8 * MB);
    const index = indexIn(database);
    const secret = 'zqxjvkwqzzx';
    index.put([person(1, { words: [secret], identifier: secret }), person(2)], 1);
    const isThere = (): boolean =>
      [...Array(secret.length - 2).keys()].some((at) => database.serialize().includes(secret.slice(at, at + 3)));
    assert.ok(isThere());
    index.remove([id(1)]);
    assert.ok(!isThere());
  });
});

const numberedId = (number: number, kind = '5e55'): string =>
  `${number.toString(16).padStart(8, '0')}-0000-4000-8000-00000000${kind}`;
const PLACES = [
  { label: 'Oslo, Norway', lat: 59.91, lng: 10.75 },
  { label: 'Drammen, Norway', lat: 59.9, lng: 10.8 },
  { label: 'Suva, Fiji', lat: -18.1, lng: 178.4 },
  undefined,
];

function session(number: number, over: Partial<SessionEntry> = {}): SessionEntry {
  return {
    id: numberedId(number),
    identityId: numberedId(number, '1de7'),
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
      id: numberedId(number, '1de7'),
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
      session(number, { identityId: numberedId(1, '1de7'), authenticatedAt });
    index.putSessions([of(10, 500)], 1);
    index.putPeople(page(1, 2), 1);
    index.putSessions([of(11, 900)], 1);
    index.putPeople(page(1), 2);
    assert.deepEqual([seen(900), seen(901)], [1, 0]);
    assert.equal(index.countPeople({ lastSession: { to: 901, orNone: true } }), 2);
    index.remove('sessions', [numberedId(11), numberedId(77)]);
    assert.deepEqual([seen(501), seen(500)], [0, 1]);
    index.removeUnseen('sessions', 2, 0);
    assert.equal(index.countPeople({ lastSession: 'none' }), 2);
  });
});

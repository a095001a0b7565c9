import assert from 'node:assert/strict';
import fc from 'fast-check';
import { gridPoint } from '../../server/geo/map-points.ts';
import {
  type Cursor,
  type IndexDatabase,
  partsOf,
  QUARTER_MS,
  SearchTooLong,
  timeLimit,
  trigramsOf,
} from '../../server/search-index/database.ts';
import { openInMemory } from '../../server/search-index/file.ts';
import { type IdentitiesQuery, identitiesTable, type Order } from '../../server/search-index/identities.ts';
import type { SessionEntry, SessionsQuery } from '../../server/search-index/sessions.ts';
import { indexCommands } from '../../server/search-index/worker.ts';
import type { IdentityEntry, Period } from '../../shared/identity-entry.ts';
import { hasWords, isFoundBy, searchTerms, wordsOf } from '../../shared/text.ts';
import { idOf } from '../support/index-rig.ts';
import { seeded } from '../support/seeded.ts';

const MB = 1_048_576;

describe('the table of people in the index', () => {
  function identity(number: number, over: Partial<IdentityEntry> = {}): IdentityEntry {
    const identifier = `person${number}@example.org`;
    return {
      id: idOf(number),
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

  type Index = ReturnType<typeof identitiesTable>;
  /** @param searchMs how long a search may take by the clock `now` */
  const indexIn = (database: IndexDatabase, now = () => 0, searchMs?: number): Index =>
    identitiesTable(database, timeLimit(database, now, searchMs));
  function indexOf(identities: readonly IdentityEntry[], database = openInMemory(64 * MB)): Index {
    const index = indexIn(database);
    assert.equal(index.put(identities, 1), true);
    return index;
  }

  function allPages(index: Index, query: IdentitiesQuery, order: Order, size: number): string[] {
    const ids: string[] = [];
    for (let after: Cursor | undefined; ; ) {
      const page = index.page(query, order, size, after);
      ids.push(...page.identities.map(({ id }) => id));
      if (page.next === undefined) return ids;
      assert.equal(page.identities.length, size);
      after = page.next;
    }
  }

  /** The expected ids, from filtering and sorting an array. */
  function expected(identities: readonly IdentityEntry[], query: IdentitiesQuery, { by, descending }: Order): string[] {
    const isWithin = (time: number, { from = -1, to = Number.POSITIVE_INFINITY }: Period = {}): boolean =>
      time >= from && time < to;
    const sortKey = ({ createdAt, updatedAt, identifier }: IdentityEntry): string | number =>
      ({ created: createdAt, updated: updatedAt, identifier, last_session: 0 })[by];
    const compare = (a: string | number, b: string | number): number =>
      typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b);
    return identities
      .filter(
        (entry) =>
          (query.words === undefined || isFoundBy(entry.words, query.words)) &&
          (query.active === undefined || entry.active === query.active) &&
          (query.schemaId === undefined || entry.schemaId === query.schemaId) &&
          (query.verified === undefined || (entry.verified === true) === query.verified) &&
          isWithin(entry.createdAt, query.created) &&
          isWithin(entry.updatedAt, query.updated) &&
          (query.lastSession === undefined || query.lastSession === 'none'),
      )
      .sort((a, b) => (compare(sortKey(a), sortKey(b)) || compare(a.id, b.id)) * (descending ? -1 : 1))
      .map(({ id }) => id);
  }

  it('ignores Hebrew points, Arabic vowel marks and invisible characters, but no vowel signs that change a word', () => {
    const isFound = (typed = '', text = '') => isFoundBy(wordsOf([text]), searchTerms(typed));
    for (const [one, other] of ['שָׁלוֹם שלום', 'مُحَمَّد محمد', 'محـــمد محمد', 'p\u200bi\u00ada pia'].map((pair) =>
      pair.split(' '),
    ))
      assert.deepEqual([isFound(one, other), isFound(other, one)], [true, true], one);
    for (const [one, other] of ['कि कु', 'กำ กา', 'がき かき', 'バス ハス'].map((pair) => pair.split(' ')))
      assert.equal(isFound(one, other), false, one);
  });

  const texts = 'ada Ada ädä lovelace a li 李 李小龍 Ⅷ x"y * NEAR aaaaaaa bab ('.split(' ');
  const anyText = fc.oneof(fc.constantFrom(...texts), fc.string({ minLength: 1, maxLength: 4, unit: 'grapheme' }));
  const time = fc.integer({ min: 0, max: 6 });
  const period = fc.record({ from: time, to: time }, { requiredKeys: [] });
  const anyIdentity = fc.record({
    schemaId: fc.constantFrom('customer', 'partner', ''),
    active: fc.boolean(),
    verified: fc.constantFrom(true, false, undefined),
    createdAt: time,
    updatedAt: time,
    words: fc
      .array(fc.array(anyText, { minLength: 1, maxLength: 4 }), { maxLength: 3 })
      .map((values) => wordsOf(values.map((parts) => parts.join(' ')))),
  });
  const anyQuery = fc.record(
    {
      words: fc
        .array(anyText, { minLength: 1, maxLength: 3 })
        .map((parts) => searchTerms(parts.join(' ')))
        .filter((terms) => terms.length > 0),
      active: fc.boolean(),
      schemaId: fc.constantFrom('customer', 'partner', 'unknown'),
      verified: fc.boolean(),
      created: period,
      updated: period,
      lastSession: fc.constantFrom({ from: 1 }, 'none' as const),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<IdentitiesQuery>;
  const anyOrder: fc.Arbitrary<Order> = fc.record({
    by: fc.constantFrom('created', 'updated', 'identifier', 'last_session'),
    descending: fc.boolean(),
  });

  it('finds, counts, sorts and pages people as filtering and sorting an array does', () => {
    fc.assert(
      fc.property(
        fc.array(anyIdentity, { maxLength: 30 }),
        anyQuery,
        anyOrder,
        fc.integer({ min: 1, max: 9 }),
        (entries, query, order, size) => {
          const identities = entries.map((entry, number) =>
            identity(number, { ...entry, identifier: entry.words[0] ?? '' }),
          );
          const index = indexOf(identities);
          const all = expected(identities, query, order);
          assert.deepEqual(allPages(index, query, order, size), all);
          assert.equal(index.count(query), all.length);
          assert.deepEqual(index.ids(query, 100), all.toSorted());
        },
      ),
      seeded(100),
    );
  });

  // With so many matches, rows are not sorted but read from the SQL index of the requested order.
  it('finds by text, state and period among 11,000 matches, and ends a search at its time limit', () => {
    const identities = Array.from({ length: 11_000 }, (_, number) =>
      identity(number, { active: number % 3 > 0, createdAt: number % 977 }),
    );
    const database = openInMemory(64 * MB);
    const index = indexOf(identities, database);
    const order: Order = { by: 'created', descending: true };
    for (const query of [
      { words: ['example'] },
      { words: ['example'], active: false, created: { from: 100, to: 200 } },
      { active: true },
    ] satisfies IdentitiesQuery[]) {
      const all = expected(identities, query, order);
      assert.deepEqual(allPages(index, query, order, 1_999), all);
      assert.equal(index.count(query), all.length);
    }
    let clock = 0;
    const limited = indexIn(database, () => (clock += 1), 2);
    const common: IdentitiesQuery = { words: ['example'], active: true };
    assert.throws(() => limited.count(common), SearchTooLong);
    assert.throws(() => limited.ids(common, 30_000), SearchTooLong);
    const noMatch: IdentitiesQuery = { words: ['example'], created: { from: 400 }, updated: { to: 300 } };
    assert.throws(() => limited.page(noMatch, { ...order, by: 'identifier' }, 25, undefined), SearchTooLong);
  });

  it('searches by at most twelve different trigrams, however long or repetitive a text is', () => {
    const trigrams = (text: string): string[] => trigramsOf(partsOf([text])).split(' AND ');
    assert.deepEqual(trigrams('a'.repeat(255)), ['"aaa"']);
    assert.deepEqual(trigrams('x"y!'), ['"x""y"', '"""y!"']);
    const long = trigrams(Array.from({ length: 255 }, (_, at) => String.fromCodePoint(0x4e00 + at)).join(''));
    assert.deepEqual([long.length, long[0], long[11]], [12, '"一丁丂"', '"仼份仾"']);
  });

  it('refuses new rows when it is full, keeps its existing rows, and accepts rows again after removals', () => {
    const index = indexIn(openInMemory(2 * MB));
    let number = 0;
    const hundred = (): IdentityEntry[] => Array.from({ length: 100 }, () => identity(number++));
    while (index.put(hundred(), 1)) assert.ok(number < 20_000);
    assert.ok(index.size() > 1_000 && index.size() >= number - 100);
    assert.equal(index.count({ words: ['example'] }), index.size());
    index.remove(Array.from({ length: 1_000 }, (_, removed) => idOf(removed)));
    assert.equal(index.put(hundred(), 1), true);
  });

  it('contains no text of removed people', () => {
    const database = openInMemory(8 * MB);
    const index = indexIn(database);
    const secret = 'zqxjvkwqzzx';
    index.put([identity(1, { words: [secret], identifier: secret }), identity(2)], 1);
    const isFound = (): boolean =>
      [...Array(secret.length - 2).keys()].some((at) => database.serialize().includes(secret.slice(at, at + 3)));
    assert.ok(isFound());
    index.remove([idOf(1)]);
    assert.ok(!isFound());
  });
});

describe('the table of sessions in the index', () => {
  const PLACES = [
    { label: 'Oslo, Norway', lat: 59.91, lng: 10.75 },
    { label: 'Drammen, Norway', lat: 59.9, lng: 10.8 },
    { label: 'Suva, Fiji', lat: -18.1, lng: 178.4 },
    undefined,
  ];
  const session = (number: number, over: Partial<SessionEntry> = {}): SessionEntry => ({
    id: idOf(number, '5e55'),
    identityId: idOf(number),
    active: true,
    issuedAt: number,
    authenticatedAt: number,
    expiresAt: 0,
    place: PLACES[0],
    device: 'Firefox on Linux',
    addresses: '',
    ...over,
  });
  /** A page of identities, whose names are their numbers. */
  const page = (...numbers: number[]): string =>
    JSON.stringify(
      numbers.map((number) => ({
        id: idOf(number),
        schema_id: 'customer',
        state: 'active',
        traits: { name: `Number ${number}` },
        created_at: '2026-01-01T00:00:00Z',
      })),
    );
  const emptyIndex = () => indexCommands(openInMemory(64 * MB), () => 0);

  function circleOf({ place }: SessionEntry): SessionsQuery['circle'] {
    return place === undefined ? 'unknown' : gridPoint(place.lat, place.lng);
  }
  const isActive = ({ active, expiresAt }: SessionEntry, at: number): boolean =>
    active && (expiresAt === 0 || expiresAt > at);
  const matches = (entry: SessionEntry, { circle, place, device, identity, since, ...rest }: SessionsQuery): boolean =>
    (circle === undefined || JSON.stringify(circleOf(entry)) === JSON.stringify(circle)) &&
    (place === undefined || hasWords(entry.place?.label ?? '', place)) &&
    (device === undefined || hasWords(entry.device, device)) &&
    (identity === undefined || isFoundBy(['number', String(Number.parseInt(entry.identityId, 16))], identity)) &&
    (since === undefined || entry.authenticatedAt > since) &&
    (rest.activeAt === undefined || isActive(entry, rest.activeAt)) &&
    (rest.endedAt === undefined || !isActive(entry, rest.endedAt)) &&
    (rest.address === undefined || entry.addresses.split(' ').includes(rest.address));

  function countsOf<T>(values: readonly T[]): Map<T, number> {
    const counts = new Map<T, number>();
    for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
    return counts;
  }

  const time = fc.integer({ min: 0, max: 9 });
  const ADDRESSES = ['203.0.113.7', '203.0.113.71', '2001:db8::1'];
  const anySession = fc.record({
    active: fc.boolean(),
    issuedAt: time,
    authenticatedAt: time.map((at) => at * QUARTER_MS),
    expiresAt: time,
    place: fc.constantFrom(...PLACES),
    device: fc.constantFrom('Firefox on Linux', 'Safári on iOS', ''),
    addresses: fc.subarray(ADDRESSES).map((all) => all.map((one) => ` ${one} `).join('')),
  });
  const anyQuery = fc.record(
    {
      circle: fc.constantFrom(...PLACES.map((place) => circleOf(session(0, { place }))), { lat: 1, lng: 1 }),
      since: time.map((at) => at * QUARTER_MS),
      activeAt: time,
      endedAt: time,
      address: fc.constantFrom(...ADDRESSES, '203.0.113'),
      place: fc.constantFrom('norway', 'Norway OSLO', 'é').map(searchTerms),
      device: fc.constantFrom('safari', 'LINUX', 'on').map(searchTerms),
      identity: fc.constantFrom('1, umber', 'Nu', '2', 'number').map(searchTerms),
    },
    { requiredKeys: [] },
  ) as fc.Arbitrary<SessionsQuery>;

  it('counts sessions by place, quarter of an hour and state, and pages through them, as filtering an array does', () =>
    fc.assert(
      fc.property(fc.array(anySession, { maxLength: 25 }), anyQuery, (entries, query) => {
        const all = entries.map((entry, number) => session(number, entry));
        const index = emptyIndex();
        index.putIdentities(page(...all.keys()), 1);
        assert.deepEqual(index.putSessions(all, 1), { fits: true, known: all.length === 0 });
        const expected = all
          .filter((entry) => matches(entry, query))
          .sort((a, b) => b.authenticatedAt - a.authenticatedAt || (a.id < b.id ? 1 : -1));
        const expectedIds = expected.map(({ id }) => id);

        assert.deepEqual(
          new Map(index.countPlaces(query).map(({ place, count }) => [place?.label, count])),
          countsOf(expected.map(({ place }) => place?.label)),
        );
        const ids: string[] = [];
        for (let after: Cursor | undefined; ; ) {
          const part = index.searchSessions(query, 3, after);
          assert.equal(part.total, expectedIds.length);
          ids.push(...part.ids);
          after = part.next;
          if (after === undefined) break;
        }
        assert.deepEqual(ids, expectedIds);
        assert.deepEqual(index.sessionIds(query, 4), expectedIds.slice(0, 4));

        const { sessions: numbers } = index.numbers(4);
        assert.equal(numbers.sessions, all.length);
        assert.equal(numbers.active, all.filter((entry) => matches(entry, { activeAt: 4 })).length);
        const times = all.map(({ issuedAt, authenticatedAt }) => issuedAt || authenticatedAt).filter(Boolean);
        assert.equal(numbers.since, times.length === 0 ? 0 : Math.min(...times));
        assert.deepEqual(
          new Map(numbers.quarters.map(({ quarter, count }) => [quarter, count])),
          countsOf(all.map(({ authenticatedAt }) => authenticatedAt / QUARTER_MS).filter(Boolean)),
        );
      }),
      seeded(60),
    ));

  it('finds the time of a person’s last session in whichever order lists are read, and ignores removed sessions', () => {
    const index = emptyIndex();
    const countWithSessionSince = (from: number): number => index.countIdentities({ lastSession: { from } });
    const sessionOfFirst = (number: number, authenticatedAt: number): SessionEntry =>
      session(number, { identityId: idOf(1), authenticatedAt });
    index.putSessions([sessionOfFirst(10, 500)], 1);
    index.putIdentities(page(1, 2), 1);
    index.putSessions([sessionOfFirst(11, 900)], 1);
    index.putIdentities(page(1), 2);
    assert.deepEqual([countWithSessionSince(900), countWithSessionSince(901)], [1, 0]);
    assert.equal(index.countIdentities({ lastSession: { to: 901, orNone: true } }), 2);
    index.remove('sessions', [idOf(11, '5e55'), idOf(77, '5e55')]);
    assert.deepEqual([countWithSessionSince(501), countWithSessionSince(500)], [0, 1]);
    index.removeUnseen('sessions', 2, 0);
    assert.equal(index.countIdentities({ lastSession: 'none' }), 2);
  });
});

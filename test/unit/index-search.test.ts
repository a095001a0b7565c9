import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type IndexDatabase, openInMemory, SearchTooLong, timeLimit } from '../../server/search-index/database.ts';
import { type Cursor, type Order, type PeopleQuery, partsOf, trigramsOf } from '../../server/search-index/full-text.ts';
import { peopleTable } from '../../server/search-index/people.ts';
import type { Period, PersonEntry } from '../../shared/identities.ts';
import { isFoundBy, searchTerms, wordsOf } from '../../shared/text.ts';
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

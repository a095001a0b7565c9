import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type IndexDatabase, openInMemory } from '../../server/identity-index/index-database.ts';
import { type PeopleIndex, peopleIndex } from '../../server/identity-index/people-index.ts';
import { type FoundPeople, type PeopleSearch, peopleSearch } from '../../server/identity-index/people-search.ts';
import type { Order, Place, Question } from '../../server/identity-index/question.ts';
import { TooLong, timeLimit } from '../../server/identity-index/time-limit.ts';
import type { Period } from '../../shared/fits.ts';
import { fold, isFoundBy } from '../../shared/fold.ts';
import type { PersonEntry } from '../../shared/person-entry.ts';
import { drawn } from '../support/drawn.ts';

const FAR = Number.POSITIVE_INFINITY;
const MB = 1_048_576;

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
    texts: [identifier],
    ...over,
  };
}

type Index = PeopleIndex & PeopleSearch;
const opened = (database: IndexDatabase, now = () => 0): Index => ({
  ...peopleIndex(database),
  ...peopleSearch(database, timeLimit(database, now)),
});

function indexOf(people: readonly PersonEntry[], now = () => 0): Index {
  const index = opened(openInMemory(64 * MB), now);
  assert.equal(index.put(people, 1), true);
  return index;
}

/** All pages, one after the other. */
function walked(index: PeopleSearch, question: Question, order: Order, size: number): string[] {
  const ids: string[] = [];
  for (let after: Place | undefined; ; ) {
    const page = index.page(question, order, size, after, FAR);
    ids.push(...idsOf(page));
    if (page.next === undefined) return ids;
    assert.equal(page.people.length, size);
    after = page.next;
  }
}

const idsOf = ({ people }: FoundPeople): string[] => people.map(({ id }) => id);

const isWithin = (time: number, { from = -1, to = FAR }: Period = {}): boolean => time >= from && time < to;

/** The same by reading everybody. */
function expected(people: readonly PersonEntry[], question: Question, { by, descending }: Order): string[] {
  const sortedBy = (one: PersonEntry): string | number =>
    ({ created: one.createdAt, updated: one.updatedAt, identifier: one.identifier, last_session: 0 })[by];
  const found = people.filter(
    (one) =>
      (question.text === undefined || isFoundBy(one.texts, question.text)) &&
      (question.active === undefined || one.active === question.active) &&
      (question.schemaId === undefined || one.schemaId === question.schemaId) &&
      (question.verified === undefined || (one.verified === true) === question.verified) &&
      isWithin(one.createdAt, question.created) &&
      isWithin(one.updatedAt, question.updated) &&
      (question.lastSession === undefined || question.lastSession === 'none'),
  );
  const compared = (a: string | number, b: string | number): number =>
    typeof a === 'string' ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b);
  found.sort((a, b) => (compared(sortedBy(a), sortedBy(b)) || compared(a.id, b.id)) * (descending ? -1 : 1));
  return found.map(({ id }) => id);
}

describe('people in the index', () => {
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
    '(',
    "'",
    '-',
    '🙂🙂🙂',
    'İ',
    'ß',
    'ñ',
  );
  const text = fc.array(fc.oneof(words, fc.string({ maxLength: 4, unit: 'grapheme' })), { minLength: 1, maxLength: 4 });
  const time = fc.integer({ min: 0, max: 6 });
  const period = fc.record({ from: time, to: time }, { requiredKeys: [] });
  const anyone = fc.record({
    schemaId: fc.constantFrom('customer', 'partner', ''),
    active: fc.boolean(),
    verified: fc.constantFrom(true, false, undefined),
    createdAt: time,
    updatedAt: time,
    texts: fc.uniqueArray(
      text.map((parts) => fold(parts.join(' '))).filter((folded) => folded !== ''),
      { maxLength: 3 },
    ),
  });
  const question = fc.record(
    {
      text: fc
        .oneof(words, fc.string({ minLength: 1, maxLength: 6, unit: 'grapheme' }))
        .map(fold)
        .filter((folded) => folded !== ''),
      active: fc.boolean(),
      schemaId: fc.constantFrom('customer', 'partner', 'unknown'),
      verified: fc.boolean(),
      created: period,
      updated: period,
      lastSession: fc.constantFrom({ from: 1 }, 'none' as const),
    },
    { requiredKeys: [] },
  );
  const order = fc.record({
    by: fc.constantFrom('created', 'updated', 'identifier', 'last_session'),
    descending: fc.boolean(),
  }) as fc.Arbitrary<Order>;

  it('are found, counted, ordered and paged as reading everybody would, whatever is asked', () => {
    fc.assert(
      fc.property(
        fc.array(anyone, { maxLength: 30 }),
        question,
        order,
        fc.integer({ min: 1, max: 9 }),
        (some, asked, by, size) => {
          const people = some.map((one, number) => person(number, { ...one, identifier: one.texts[0] ?? '' }));
          const index = indexOf(people);
          const all = expected(people, asked as Question, by);
          assert.deepEqual(walked(index, asked as Question, by, size), all);
          assert.equal(index.count(asked as Question, FAR), all.length);
          assert.deepEqual(index.ids(asked as Question, FAR, 100), all.toSorted());
        },
      ),
      drawn(150),
    );
  });

  it('are the same ones when a text is common and the filters are wide', () => {
    const people = Array.from({ length: 11_000 }, (_, number) =>
      person(number, {
        active: number % 3 > 0,
        createdAt: number % 977,
        schemaId: number % 5 === 0 ? 'partner' : 'customer',
      }),
    );
    const index = indexOf(people);
    for (const asked of [
      { text: 'example' },
      { text: 'example', active: false },
      { text: 'example', schemaId: 'partner', created: { from: 100, to: 200 } },
      { text: 'person1' },
      { active: true },
      { created: { from: 500 } },
      {},
    ] as Question[])
      for (const by of [
        { by: 'created', descending: true },
        { by: 'identifier', descending: false },
      ] as Order[]) {
        const all = expected(people, asked, by);
        assert.deepEqual(walked(index, asked, by, 1_999), all);
        assert.equal(index.count(asked, FAR), all.length);
      }
  });

  it('are replaced, removed by id, and removed if a pass has not met them', () => {
    const index = indexOf([person(1), person(2), person(3)]);
    const found = (text: string): string[] => index.ids({ text }, FAR, 10);
    index.put([person(2, { texts: ['renamed'], active: false })], 2);
    assert.deepEqual(found('renamed'), [id(2)]);
    assert.deepEqual(found('person2'), []);
    assert.deepEqual(index.ids({ active: false }, FAR, 10), [id(2)]);
    index.remove([id(1), id(9)]);
    assert.deepEqual(found('person'), [id(3)]);
    assert.equal(index.removeBefore(2, 0), undefined);
    assert.equal(index.size(), 1);
    assert.deepEqual(found('person'), []);
  });

  it('keep their places while others come and go between two pages', () => {
    const index = indexOf(Array.from({ length: 20 }, (_, number) => person(number * 2)));
    const order: Order = { by: 'created', descending: true };
    const first = index.page({}, order, 5, undefined, FAR);
    index.put([person(39), person(31), person(29)], 1);
    index.remove([id(30), id(28)]);
    const second = index.page({}, order, 5, first.next, FAR);
    assert.deepEqual(idsOf(first), [38, 36, 34, 32, 30].map(id));
    assert.deepEqual(idsOf(second), [29, 26, 24, 22, 20].map(id));
  });

  it('are as many as fit: a full index says so, keeps what it has, answers, and has room again when some go', () => {
    const index = opened(openInMemory(8 * MB));
    let number = 0;
    const hundred = (): PersonEntry[] => Array.from({ length: 100 }, () => person(number++));
    while (index.put(hundred(), 1)) assert.ok(number < 100_000);
    assert.ok(index.size() > 5_000);
    assert.ok(index.size() >= number - 100);
    assert.equal(index.count({ text: 'example' }, FAR), index.size());
    index.remove(Array.from({ length: 5_000 }, (_, removed) => id(removed)));
    assert.equal(index.put(hundred(), 1), true);
  });

  it('are not sought for longer than a question may take', () => {
    let time = 0;
    const index = indexOf(
      Array.from({ length: 30_000 }, (_, number) => person(number)),
      () => (time += 1),
    );
    const asked: Question = { active: true, text: 'example' };
    assert.throws(() => index.count(asked, 5), TooLong);
    const nobody: Question = { text: 'example', created: { from: 12_000 }, updated: { to: 12_000 } };
    assert.throws(() => index.page(nobody, { by: 'identifier', descending: true }, 25, undefined, time + 5), TooLong);
    assert.throws(() => index.ids(asked, time + 5, 30_000), TooLong);
    assert.equal(index.count(asked, FAR), 30_000);
  });

  it('leave no text behind when they go', () => {
    const database = openInMemory(8 * MB);
    const index = opened(database);
    const secret = 'zqxjvkwqzzx';
    index.put([person(1, { texts: [secret], identifier: secret }), person(2)], 1);
    const isThere = (): boolean =>
      [...Array(secret.length - 2).keys()].some((at) => database.serialize().includes(secret.slice(at, at + 3)));
    assert.ok(isThere());
    index.remove([id(1)]);
    assert.ok(!isThere());
  });
});

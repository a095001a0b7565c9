import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type ClientEntry, type ClientsIndex, clientsIndex } from '../../server/identity-index/clients-index.ts';
import { openInMemory } from '../../server/identity-index/index-database.ts';
import { fold, isFoundBy } from '../../shared/fold.ts';
import { drawn } from '../support/drawn.ts';

const client = (id: string, over: Partial<ClientEntry> = {}): ClientEntry => ({
  id,
  name: '',
  owner: '',
  grants: [],
  ...over,
});

function indexOf(...clients: ClientEntry[]): ClientsIndex {
  const index = clientsIndex(openInMemory(64 * 1_048_576));
  assert.equal(index.put(clients, 1), true);
  return index;
}

/** All pages, one after the other. */
function walked(index: ClientsIndex, text: string | undefined, size: number): string[] {
  const ids: string[] = [];
  for (;;) {
    const page = index.find(text, size, ids.at(-1));
    ids.push(...page.ids);
    if (!page.more) return ids;
    assert.equal(page.ids.length, size);
  }
}

describe('clients in the index', () => {
  const word = fc.constantFrom(
    'app',
    'App',
    'a',
    'äpp',
    'İ',
    '数学',
    '🙂',
    'x y',
    '%',
    '_',
    '*',
    '"',
    "'",
    '\u0002',
    '´',
  );
  const words = fc.array(word, { maxLength: 3 }).map((parts) => parts.join('-'));
  const some = fc.uniqueArray(
    fc.record({ id: words.filter((id) => id !== ''), name: words, owner: words, grants: fc.constant([]) }),
    { selector: ({ id }) => id, maxLength: 20 },
  );
  const sought = fc.option(
    words.map(fold).filter((text) => text !== ''),
    { nil: undefined },
  );

  it('are found, counted and paged as reading all of them would, whatever is asked', () => {
    fc.assert(
      fc.property(some, sought, fc.integer({ min: 1, max: 9 }), (clients, text, size) => {
        const expected = clients
          .filter(({ id, name, owner }) => text === undefined || isFoundBy([id, name, owner].map(fold), text))
          .map(({ id }) => id)
          .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        const index = indexOf(...clients);
        assert.deepEqual(walked(index, text, size), expected);
        assert.equal(index.find(text, size).total, expected.length);
      }),
      drawn(300),
    );
  });

  it('keep their place between pages, whatever is written meanwhile', () => {
    const index = indexOf(...['b', 'd', 'f', 'h'].map((id) => client(id)));
    assert.deepEqual(index.find(undefined, 2), { ids: ['b', 'd'], more: true, total: 4 });
    index.remove('d');
    index.put([client('a'), client('e')], 1);
    assert.deepEqual(index.find(undefined, 2, 'd'), { ids: ['e', 'f'], more: true, total: 5 });
    assert.deepEqual(index.find(undefined, 2, 'f'), { ids: ['h'], more: false, total: 5 });
  });

  it('are found by beginnings alone with one or two characters', () => {
    const index = indexOf(client('1', { name: 'Billing' }), client('2', { owner: 'Abel' }), client('ab'));
    assert.deepEqual(index.find('b', 9).ids, ['1']);
    assert.deepEqual(index.find('ab', 9).ids, ['2', 'ab']);
    assert.deepEqual(index.find('bel', 9).ids, ['2']);
  });
});

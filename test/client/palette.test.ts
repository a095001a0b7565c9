import assert from 'node:assert/strict';
import { type Fit, fitOf, hiddenMatch, searchTextIn, textsIn } from '../../client/app/palette/best-first.ts';
import { type Found, formatFound, foundGroups } from '../../client/app/palette/found.tsx';
import type { FoundIdentity } from '../../shared/identities.ts';

describe('the search text of the palette', () => {
  it('has at least three characters and no trailing stars', () => {
    for (const [typed, text] of [
      ['ad*', undefined],
      ['ada', 'ada'],
      ['a*b**', 'a*b'],
      ['a\u0000da', 'a da'],
      ['x'.repeat(256), undefined],
    ] as const)
      assert.equal(searchTextIn(typed), text, typed);
  });
});

describe('the order of results in the palette', () => {
  it('is whole identifiers, beginnings, parts, ignoring case and accents', () => {
    for (const [text, identifier, others, fit] of [
      ['ADA@example.org', 'ada@example.org', [], 0],
      ['ada', 'ada@example.org', [], 1],
      ['zoe', 'z@example.org', ['Zoë'], 1],
      ['example', 'ada@example.org', ['Ada'], 2],
    ] as [string, string | undefined, string[], Fit][])
      assert.equal(fitOf(text, identifier, others), fit, text);
  });

  it('considers all texts in traits, up to a limit of nesting', () => {
    assert.deepEqual(textsIn({ a: 'x', b: [1, null, { c: 'y' }], d: { e: ['z'] } }), ['x', 'y', 'z']);
    let deep: unknown = 'bottom';
    for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
    assert.deepEqual(textsIn(deep), []);
    assert.equal(hiddenMatch(['Ada', 'Gödel'], ['Ada'], 'ODE ada'), 'Gödel');
    assert.equal(hiddenMatch(['Ada'], ['Ada'], 'ada'), undefined);
  });
});

describe('a result in the palette', () => {
  const identity = (traits: Record<string, unknown>, over: Partial<FoundIdentity> = {}): FoundIdentity => ({
    id: `id of ${JSON.stringify(traits)}`,
    traits,
    state: 'active',
    created_at: '',
    updated_at: '',
    schema_id: 'customer',
    last_session_at: null,
    ...over,
  });
  const found = (over: Partial<Found>): Found => ({
    text: 'ada',
    pending: false,
    searchNow() {},
    identities: undefined,
    clients: undefined,
    settings: undefined,
    failures: [],
    ...over,
  });
  const identities = (rows: FoundIdentity[], total = rows.length, complete = true) => ({
    identities: rows,
    total,
    has_more: total > rows.length,
    next_page_token: null,
    index: { complete, identities: 12_000, as_of: null },
  });
  it('names the record and, if the name does not show it, why it matches', () => {
    const rows = [
      identity({ email: 'x@example.org', name: { first: 'Lamada' } }),
      identity({ email: 'ada@example.org' }, { state: 'inactive' }),
      identity({ email: 'ada', name: 'A\u202edA' }),
      identity({ email: 'ada-gone@example.org' }, { changed: true }),
    ];
    const [group] = foundGroups(found({ identities: identities(rows, 551) }), () => {});
    assert.deepEqual(
      group?.commands.map(({ label, about }) => `${label}: ${about}`),
      [
        'A⟨U+202E⟩dA: ada',
        'ada@example.org: inactive',
        'Lamada: x@example.org',
        'All 551 matching identities: undefined',
      ],
    );
  });

  it('is counted in a sentence, which also says what is missing', () => {
    const index = { complete: true, clients: 1, as_of: '' };
    const clients = { clients: [], total: 1, has_more: false, next_page_token: null, index };
    for (const [what, sentence] of [
      [{ identities: identities([], 0), clients }, 'Found: 0 identities, 1 client.'],
      [
        { identities: identities([], 2, false), settings: { rows: [], hasMore: true } },
        'Found: 2 identities, at least 0 settings. Only 12,000 identities indexed so far.',
      ],
      [
        { clients, failures: [{ of: 'settings', error: new Error('The service cannot be reached.') }] },
        'Found: 1 client. Search in settings failed: The service cannot be reached.',
      ],
    ] as [Partial<Found>, string][])
      assert.equal(formatFound(found(what)), sentence);
  });
});

import assert from 'node:assert/strict';
import { snapshotSearch } from '../../client/api/search-snapshot.ts';
import { parseIdentitiesSearch } from '../../client/features/identities/identity-resource.ts';

const NOW = Date.parse('2026-11-23T12:00:00Z');

const identity = (over: Record<string, unknown> = {}) => ({
  id: '9f425a8d-7efc-4768-8f23-7647a74fdf13',
  schema_id: 'customer',
  state: 'inactive',
  traits: { email: 'Zoe@Example.test', name: { first: 'Zoë', last: 'Gödel' } },
  verifiable_addresses: [{ value: 'zoe@example.test', verified: false }],
  created_at: '2026-11-20T12:00:00.123456Z',
  updated_at: '2026-11-22T12:00:00Z',
  ...over,
});
const snapshot = (search: Record<string, string>) => snapshotSearch(parseIdentitiesSearch(search), NOW);
const fits = (search: Record<string, string>, over?: Record<string, unknown>): boolean =>
  snapshot(search).fits(identity(over));

describe('the search of a bulk action', () => {
  for (const [when, search, changed] of [
    ['after a change of the state', { state: 'inactive' }, { state: 'active' }],
    ['after a change of the schema', { schema: 'customer' }, { schema_id: 'person' }],
    ['after an address was verified', { verified: 'no' }, { verifiable_addresses: [{ value: 'a', verified: true }] }],
    ['after a change of the creation time', { created: '7d' }, { created_at: '2026-11-01T00:00:00Z' }],
    [
      'after the removal of the matching part of the name, regardless of case and accents',
      { q: 'GODE' },
      { traits: { email: 'zoe@example.test' } },
    ],
    ['after the removal of one of several matching words', { q: 'gödel, ZOE' }, { traits: { name: 'Zoë' } }],
    [
      'once a query of two characters occurs only inside a word of the name',
      { q: 'go' },
      { traits: { name: { last: 'Vangogh' } } },
    ],
    ['once one of several filters does not match', { state: 'inactive', q: 'zoe' }, { state: 'active' }],
  ] as const) {
    it(`no longer matches a person ${when}`, () => {
      assert.equal(fits(search), true);
      assert.equal(fits(search, changed), false);
    });
  }

  it('matches every identity if it has no filters, and nothing that is not an identity', () => {
    const everything = snapshot({ sort: 'identifier', page_size: '50' });
    const { words, params, noSessionSince } = everything;
    assert.deepEqual([words, params.toString(), noSessionSince], ['everything', '', undefined]);
    assert.equal(everything.fits(identity()), true);
    for (const value of [null, [], 'text', {}, { id: 'x' }]) assert.equal(everything.fits(value), false);
  });

  for (const [session, whom, since] of [
    ['none', 'people with any session', Number.NEGATIVE_INFINITY],
    ['none-90d', 'people with a session in the last 90 days', NOW - 90 * 86_400_000],
    ['..2026-01-31', 'people with a session since 1 February 2026', new Date(2026, 1, 1).getTime()],
    ['7d', 'nobody because of a session', undefined],
  ] as const)
    it(`with the session filter “${session}” excludes ${whom}`, () => {
      assert.equal(snapshot({ session }).noSessionSince, since);
      assert.equal(fits({ session }), true, 'the record does not contain its sessions');
    });
});

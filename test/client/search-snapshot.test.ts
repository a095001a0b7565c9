import assert from 'node:assert/strict';
import { parseIdentitiesSearch, snapshotSearch } from '../../client/features/identities/identity-query.ts';

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
  for (const [title, search, changed] of [
    ['the state', { state: 'inactive' }, { state: 'active' }],
    ['the schema', { schema: 'customer' }, { schema_id: 'person' }],
    ['the state of an address', { verified: 'no' }, { verifiable_addresses: [{ value: 'a', verified: true }] }],
    ['the time of creation', { created: '7d' }, { created_at: '2026-11-01T00:00:00Z' }],
    ['a part of the name, ignoring case and accents', { q: 'GODE' }, { traits: { email: 'zoe@example.test' } }],
    ['one word of the name', { q: 'gödel, ZOE' }, { traits: { name: 'Zoë' } }],
    ['the first two characters of a word', { q: 'go' }, { traits: { name: { last: 'Vangogh' } } }],
    ['one of several filters', { state: 'inactive', q: 'zoe' }, { state: 'active' }],
  ] as const) {
    it(`no longer matches a person who has changed in ${title}`, () => {
      assert.equal(fits(search), true);
      assert.equal(fits(search, changed), false);
    });
  }

  it('matches every identity without filters, and nothing else', () => {
    const everything = snapshot({ sort: 'identifier', page_size: '50' });
    const { words, params, noSessionSince } = everything;
    assert.deepEqual([words, params.toString(), noSessionSince], ['everything', '', undefined]);
    assert.equal(everything.fits(identity()), true);
    for (const value of [null, [], 'text', {}, { id: 'x' }]) assert.equal(everything.fits(value), false);
  });

  for (const [session, since] of [
    ['none', Number.NEGATIVE_INFINITY],
    ['none-90d', NOW - 90 * 86_400_000],
    ['..2026-01-31', new Date(2026, 1, 1).getTime()],
    ['7d', undefined],
  ] as const)
    it(`determines since when a session rules out the filter “${session}”`, () => {
      assert.equal(snapshot({ session }).noSessionSince, since);
      assert.equal(fits({ session }), true, 'the record does not contain its sessions');
    });
});

import assert from 'node:assert/strict';
import { identitySearchParams } from '../../client/api/identity-search.ts';
import {
  hasFilters,
  type IdentitiesSearch,
  inWords,
  parseIdentitiesSearch,
} from '../../client/features/identities/identity-query.ts';

const NOW = Date.parse('2026-03-10T12:00:00.000Z');
const paramsOf = (search: IdentitiesSearch) => Object.fromEntries(identitySearchParams(search, NOW));
const words = (search: IdentitiesSearch) => inWords(search).split(', ');
const midnight = (year: number, month: number, day: number) => new Date(year, month - 1, day).toISOString();

describe('the URL of the identities list', () => {
  it('keeps valid parameters', () => {
    const search = {
      q: 'ada',
      state: 'inactive',
      schema: 'customer_v2',
      verified: 'no',
      created: '7d',
      updated: '2026-01-01..',
      session: 'none-90d',
      sort: '-last_session',
    } as const;
    assert.deepEqual(parseIdentitiesSearch({ ...search, page_size: '100' }), { ...search, page_size: 100 });
    for (const session of ['none', '30d', '..2026-01-31', '2026-01-01..2026-01-01'])
      assert.deepEqual(parseIdentitiesSearch({ session }), { session });
  });

  it('drops all others', () => {
    const bad: Record<string, unknown[]> = {
      q: ['', '  ', '\0', 'x'.repeat(256), 1, ['a']],
      state: ['on', 'ACTIVE', ''],
      schema: ['', 'x'.repeat(256), {}],
      verified: ['true', ''],
      created: ['', '0d', '-1d', '7', '10000d', '..', '2026-02-30..', '2026-13-01..', '2026-01-02..2026-01-01', 'none'],
      session: ['none-', 'none-0d', 'nobody', '0026-01-01..', 7],
      sort: ['-created', 'name', '--updated', 'constructor'],
      page_size: ['25', '0', '251', '1e2', ' 50', '-1', 'abc'],
      prefix: ['ada'],
    };
    for (const [name, values] of Object.entries(bad))
      for (const value of values) assert.deepEqual(parseIdentitiesSearch({ [name]: value }), {}, `${name}=${value}`);
  });
});

describe('the parameters of an identities search', () => {
  it('use the names and times of the service', () => {
    assert.deepEqual(paramsOf({ q: 'ada', state: 'active', schema: 'default', verified: 'yes', sort: 'identifier' }), {
      q: 'ada',
      state: 'active',
      schema_id: 'default',
      verified: 'true',
      sort: 'identifier',
      order: 'asc',
    });
    assert.deepEqual(paramsOf({ verified: 'no', sort: '-updated' }), {
      verified: 'false',
      sort: 'updated',
      order: 'desc',
    });
    assert.deepEqual(paramsOf({ created: '7d' }), { created_from: '2026-03-03T12:00:00.000Z' });
    assert.deepEqual(paramsOf({ session: 'none' }), { no_session: 'true' });
    assert.deepEqual(paramsOf({ session: 'none-90d' }), { no_session: 'true', session_to: '2025-12-10T12:00:00.000Z' });
  });

  it('count days from midnight to midnight in the operator’s time zone', () => {
    assert.deepEqual(paramsOf({ updated: '2026-01-01..2026-02-28', session: '2026-01-31..' }), {
      updated_from: midnight(2026, 1, 1),
      updated_to: midnight(2026, 3, 1),
      session_from: midnight(2026, 1, 31),
    });
    assert.deepEqual(paramsOf({ created: '..2026-12-31' }), { created_to: midnight(2027, 1, 1) });
  });
});

describe('the filters of an identities search', () => {
  it('are described in words', () => {
    const all = {
      q: 'ada',
      state: 'inactive',
      schema: 'v2',
      verified: 'no',
      created: '7d',
      session: 'none-90d',
    } as const;
    assert.deepEqual(words(all), [
      '“ada”',
      'inactive',
      'schema v2',
      'no verified address',
      'created in the last 7 days',
      'no known session for 90 days',
    ]);
  });

  it('show invisible characters, and do not include order and page', () => {
    assert.equal(inWords({ schema: 'a\u202eb', sort: 'identifier', page_size: 50 }), 'schema a⟨U+202E⟩b');
    assert.equal(hasFilters({ sort: 'identifier', page_size: 50 }), false);
    assert.equal(hasFilters({ q: 'ada' }), true);
  });
});

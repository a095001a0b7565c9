import assert from 'node:assert/strict';
import { parseSessionsSearch, sessionParams } from '../../client/features/sessions/session-queries.ts';
import { addressIn, sessionState } from '../../client/lib/session-labels.ts';

describe('the URL of the list of sessions', () => {
  it('is parsed as far as it is valid', () => {
    for (const [search, read] of [
      [{}, {}],
      [{ active: 'false' }, {}],
      [
        { lat: '60', lng: '-10.5', active: 'true' },
        { lat: '60', lng: '-10.5', active: 'true' },
      ],
      [{ lat: '91', lng: '0' }, {}],
      [{ unknown: 'true', lat: '60', lng: '1' }, { unknown: 'true' }],
      [{ page_size: '100', other: 'x' }, { page_size: 100 }],
      [
        { q: ' ada ', device: 'Fire\tfox' },
        { q: 'ada', device: 'Fire fox' },
      ],
      [{ q: ' ', device: 'x'.repeat(256) }, {}],
      [{ city: ' Oslo ' }, { city: 'Oslo' }],
    ] as const)
      assert.deepEqual(parseSessionsSearch(search), read);
  });
});

describe('a search of sessions', () => {
  it('contains the filters of the URL, but not the page', () =>
    assert.equal(
      sessionParams({ q: 'a&b', active: 'true', lat: '60', lng: '-1.5', city: 'Oslo', page_size: 50 }).toString(),
      'q=a%26b&active=true&lat=60&lng=-1.5&place=Oslo',
    ));
});

describe('the IP address of a session', () => {
  it('is looked up without its port, if it is valid', () => {
    for (const [text, address] of [
      ['203.0.113.7:51234', '203.0.113.7'],
      ['[2001:db8::1]:443', '2001:db8::1'],
      ['203.0.113.256', undefined],
      ["1.2.3.4'--", undefined],
      [null, undefined],
    ] as const)
      assert.equal(addressIn(text), address);
  });
});

describe('a session in words', () => {
  it('is active, ended, or that of an inactive person', () => {
    const now = Date.parse('2026-01-31T09:00:00Z');
    for (const [state, active, person, ends] of [
      ['active', true, 'active', 1],
      ['ended', false, 'active', 1],
      ['person-inactive', true, 'inactive', 1],
      ['ended', false, 'inactive', 0],
      ['ended', false, undefined, 1],
    ] as const) {
      const session = { active, expires_at: new Date(now + ends).toISOString() };
      assert.equal(sessionState(session, person && { state: person }, now), state);
    }
  });
});

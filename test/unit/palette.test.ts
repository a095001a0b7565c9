import assert from 'node:assert/strict';
import type { ReactElement } from 'react';
import {
  type Fit,
  type Found,
  fitOf,
  formatFound,
  foundGroups,
  hiddenMatch,
  searchTextIn,
  textsIn,
} from '../../client/app/palette/found.tsx';
import { whatIs } from '../../client/app/palette/pasted.ts';
import { Marked } from '../../client/app/palette/words.tsx';
import type { FoundIdentity } from '../../shared/identities.ts';

describe('the search text of the palette', () => {
  it('has no trailing stars or control characters, and is ignored if it is too short or too long', () => {
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

const ID = '018f3b1e-5f0a-4c3e-9d2b-0a1b2c3d4e5f';

describe('a text that is pasted into the palette', () => {
  const shapeOf = (text: string): string => {
    const isRoute = (path: string): boolean => /^\/(?:sessions|identities\/[^/]+)$/.test(path);
    const { kind, ...rest } = whatIs(text, isRoute, new URL('https://dash.example/dashboard'));
    return [kind, ...Object.values(rest)].join(' ');
  };

  for (const [shape, texts] of Object.entries({
    'token ory_at_a.b-c an access token': [
      'ory_at_a.b-c',
      'Authorization: Bearer ory_at_a.b-c',
      '{"token":"ory_at_a.b-c"}',
      'https://dash.example/sessions?q=ory%5Fat%5Fa.b-c&x=1',
      'of ada@example.org from 203.0.113.7: o\u200bry_at_a.b-c',
    ],
    'token eyJhbGciOi.e30. a JSON Web Token': [
      ...['eyJhbGciOi.e30.', 'id_token=eyJhbGciOi.e30.', '%22eyJhbGciOi.e30.%22'],
      ...['Bearer:\\neyJhbGciOi.e30.', '\\u0022eyJhbGciOi.e30.\\u0022'],
    ],
    'token ory_st_abc a session token': ['ory_st_abc', `X-Session-Token: ory_st_abc ${ID}`],
    'token ory_rt_abc a refresh token': ['ory_rt_abc'],
    'token ory_ac_abc an authorization code': ['https://app.example/cb?code=ory_ac_abc&state=x'],
    'token ory_pat_0123456789abcdef a token': ['ory_pat_0123456789abcdef', 'ory\\_pat\\_0123456789abcdef'],
    'token 0123456789abcdef a token': [
      ...['token=0123456789abcdef', 'bearer 0123456789abcdef', 'token%3D0123456789abcdef'],
      ...['{"access_token": "0123456789abcdef"}', 'X-Session-Token: 0123456789abcdef'],
    ],
    'token  a session cookie': [
      'ory_kratos_session=MTcwNjY5|DX8E_a=',
      'Set-Cookie: __Host-dashboard-session=MTcwNjY5|DX8E_a=; Path=/',
      'ory_hydra_session_dev=MTcwNjY5|DX8E_a=',
    ],
    'token  a password': ['Authorization: Basic c2hvcDpwYXNz', '{"client_secret":"c2hvcDpwYXNz"}'],
    [`id ${ID} ${ID}`]: [
      ID,
      ` "${ID}" `,
      `<${ID}>`,
      `id: ${ID}`,
      ...[`identity_id=${ID},`, `session=${ID}`, `session_id=${ID}`],
      `https://kratos.example/admin/identities/${ID}`,
    ],
    [`id ${ID} ${ID.toUpperCase()}`]: [ID.toUpperCase()],
    [`id ${ID} ${ID.replaceAll('-', '')}`]: [ID.replaceAll('-', '')],
    'ip 203.0.113.7': [
      '203.0.113.7',
      '203.0.113.7:51234',
      'client ip: "203.0.113.7",',
      'ip:203.0.113.7.',
      '::FFFF:203.0.113.7',
    ],
    'ip 2001:db8::1': ['2001:DB8::1', '[2001:db8::1]:443', 'ip=2001:db8::1'],
    'page /sessions?active=true': ['/sessions?active=true', '<https://dash.example/sessions?active=true>'],
    [`page /identities/${ID}`]: [`dash.example/identities/${ID}`],
    // Of another site, only what it is about is searched.
    'text ': [
      'https://app.example/?x=secret',
      'https://ada:pass@host.example/',
      'app://cb?code=secret',
      `see ${'x'.repeat(3_000)}`,
      ' '.repeat(300_000),
    ],
    'text ada@example.org': ['ada@example.org'],
    'text https://app.example/client': ['https://app.example/client'],
    'text spiffe://app.example/client': ['spiffe://app.example/client'],
    'text basic subscription plans': ['basic subscription plans'],
    'text keyJones': ['keyJones'],
    'text 10:02:33': ['10:02:33'],
    'text /api/identities': ['/api/identities'],
  }))
    it(`is recognised by its shape: ${shape.slice(0, 60)}`, () => {
      for (const text of texts) assert.equal(shapeOf(text), shape, text);
    });
});

describe('a match in the palette', () => {
  it('is marked, ignoring case and accents', () => {
    for (const [text, search, marked] of [
      ['Zoë Gödel', 'ODE zo', '[Zo]ë G[öde]l'],
      ['Zoe\u0308', 'zoe', '[Zoe\u0308]'],
      ['a.b', 'x .b', 'a[.b]'],
    ] as const) {
      const parts = [Marked({ text, search })].flat() as (string | ReactElement<{ children: string }>)[];
      const shown = parts.map((part) => (typeof part === 'string' ? part : `[${part.props.children}]`));
      assert.equal(shown.join('').normalize(), marked.normalize());
    }
  });

  it('ranks first for a complete identifier, second for a prefix, and third for another part, ignoring case and accents', () => {
    for (const [text, identifier, others, fit] of [
      ['ADA@example.org', 'ada@example.org', [], 0],
      ['ada', 'ada@example.org', [], 1],
      ['zoe', 'z@example.org', ['Zoë'], 1],
      ['example', 'ada@example.org', ['Ada'], 2],
    ] as [string, string | undefined, string[], Fit][])
      assert.equal(fitOf(text, identifier, others), fit, text);
  });

  it('can be in any text of the traits, down to a maximum depth', () => {
    assert.deepEqual(textsIn({ a: 'x', b: [1, null, { c: 'y' }], d: { e: ['z'] } }), ['x', 'y', 'z']);
    let deep: unknown = 'bottom';
    for (let depth = 0; depth < 10_000; depth += 1) deep = [deep];
    assert.deepEqual(textsIn(deep), []);
    assert.equal(hiddenMatch(['Ada', 'Gödel'], ['Ada'], 'ODE ada'), 'Gödel');
    assert.equal(hiddenMatch(['Ada'], ['Ada'], 'ada'), undefined);
  });
});

describe('the results in the palette', () => {
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
  const results = (over: Partial<Found>): Found => ({
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
  it('name each record with its identifier or state, best match first', () => {
    const rows = [
      identity({ email: 'x@example.org', name: { first: 'Lamada' } }),
      identity({ email: 'ada@example.org' }, { state: 'inactive' }),
      identity({ email: 'ada', name: 'A\u202edA' }),
      identity({ email: 'ada-gone@example.org' }, { changed: true }),
    ];
    const [group] = foundGroups(results({ identities: identities(rows) }), () => {});
    assert.deepEqual(
      group?.commands.map(({ label, about }) => `${label}: ${about}`),
      ['A⟨U+202E⟩dA: ada', 'ada@example.org: inactive', 'Lamada: x@example.org'],
    );
  });

  it('are counted in a sentence that also reports an incomplete index or a failed search', () => {
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
      assert.equal(formatFound(results(what)), sentence);
  });
});

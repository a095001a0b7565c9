import assert from 'node:assert/strict';
import { documentOf, membersIn, withoutSecrets } from '../../client/features/oauth-clients/client-draft.ts';
import { CLIENT_KINDS } from '../../client/features/oauth-clients/client-kinds.ts';
import { identityProblems, problemsOf } from '../../client/features/oauth-clients/client-problems.ts';
import { patchOf } from '../../client/features/oauth-clients/use-client-form.ts';
import { jsonOrText } from '../../client/record/json-editor.tsx';
import { memberChanges } from '../../client/record/member-changes.ts';
import type { JsonObject } from '../../shared/json.ts';

const stored = {
  client_id: 'shop',
  client_name: 'Shop',
  redirect_uris: ['https://shop.example/cb'],
  grant_types: ['authorization_code'],
  contacts: [],
  owner: '',
  jwks: {},
  metadata: { team: 'a', deep: { list: [1, 2] } },
  skip_consent: false,
  skip_logout_consent: null,
  implicit_grant_id_token_lifespan: null,
  refresh_token_grant_id_token_lifespan: '1h0m0s',
  client_secret_expires_at: 0,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-02T00:00:00Z',
  of_a_later_version: { kept: true },
};
const base = documentOf(stored);
const patchTo = (wanted: JsonObject) => patchOf(memberChanges(base, documentOf(wanted)), stored);

describe('an edited client', () => {
  it('becomes a patch of the changed members only, each as a whole', () => {
    assert.deepEqual(
      patchTo({
        ...base,
        client_name: 'New',
        redirect_uris: ['https://shop.example/cb', 'https://shop.example/2'],
        metadata: { team: 'a', deep: { list: [1] } },
        frontchannel_logout_uri: 'https://shop.example/out',
      }),
      [
        { op: 'replace', path: '/client_name', value: 'New' },
        { op: 'replace', path: '/redirect_uris', value: ['https://shop.example/cb', 'https://shop.example/2'] },
        { op: 'replace', path: '/metadata', value: { team: 'a', deep: { list: [1] } } },
        { op: 'add', path: '/frontchannel_logout_uri', value: 'https://shop.example/out' },
      ],
    );
  });

  it('sets removed members to the empty value of their kind', () => {
    assert.deepEqual(patchTo({ of_a_later_version: { kept: true } }), [
      { op: 'replace', path: '/client_name', value: '' },
      { op: 'replace', path: '/redirect_uris', value: [] },
      { op: 'replace', path: '/grant_types', value: [] },
      { op: 'replace', path: '/metadata', value: {} },
      { op: 'replace', path: '/refresh_token_grant_id_token_lifespan', value: null },
    ]);
  });
});

describe('the draft of a client', () => {
  it('loses whitespace and empty lines only where they mean nothing', () => {
    assert.deepEqual(
      membersIn({
        members: {
          client_name: ' Shop ',
          scope: ' openid   email\n',
          redirect_uris: [' https://a.example ', ''],
          metadata: { ' a ': ' b ' },
          of_a_later_version: ' as it is ',
        },
      }),
      {
        client_name: 'Shop',
        scope: 'openid email',
        redirect_uris: ['https://a.example'],
        metadata: { ' a ': ' b ' },
        of_a_later_version: ' as it is ',
      },
    );
    const stored = { client_name: ' Shop ', contacts: ['a\nb', ''] };
    assert.deepEqual(membersIn({ members: stored }, stored), stored, 'what is unchanged stays as it is');
  });

  it('reports members that are not valid JSON, and JSON that is not an object', () => {
    assert.throws(() => membersIn({ members: { metadata: jsonOrText('{') } }), {
      problems: { '/metadata': 'This is not valid JSON.' },
    });
    assert.throws(() => membersIn({ members: [] }), { problems: { '': 'Enter a JSON object.' } });
  });

  it('is never stored with a secret, or with text that may contain one', () => {
    const members = { client_name: 'a', client_secret: 'hidden', registration_access_token: 'hidden' };
    assert.deepEqual(withoutSecrets({ members }), { members: { client_name: 'a' } });
    assert.equal(withoutSecrets({ members: jsonOrText('{"client_secret":"hidden"') }), undefined);
    assert.equal(withoutSecrets({ members: { metadata: jsonOrText('{"client_secret":"hidden"') } }), undefined);
  });
});

describe('what the OAuth server would reject', () => {
  const refused: [string, JsonObject, string][] = [
    ['a fragment in a redirect address', { redirect_uris: ['https://a.example/#x'] }, '/redirect_uris'],
    ['an origin with a path', { allowed_cors_origins: ['https://a.example/app'] }, '/allowed_cors_origins'],
    ['a sector identifier without TLS', { sector_identifier_uri: 'http://a.example' }, '/sector_identifier_uri'],
    ['a duration in days', { implicit_grant_id_token_lifespan: '30d' }, '/implicit_grant_id_token_lifespan'],
    ['a private key', { jwks: { keys: [{ kty: 'RSA', n: 'n', e: 'AQAB', d: 'private' }] } }, '/jwks'],
    ['keys in two places', { jwks: { keys: [{ kty: 'RSA' }] }, jwks_uri: 'https://a.example/jwks' }, '/jwks_uri'],
    [
      'logout at another host',
      { redirect_uris: ['https://a.example/cb'], post_logout_redirect_uris: ['https://b.example/'] },
      '/post_logout_redirect_uris',
    ],
    ['sign-ins that can end nowhere', { grant_types: ['authorization_code'] }, '/redirect_uris'],
  ];
  for (const [what, members, place] of refused)
    it(`is found beforehand: ${what}`, () => assert.deepEqual(Object.keys(problemsOf(members)), [place]));

  it('does not include a fragment in the address of a request object', () =>
    assert.deepEqual(problemsOf({ request_uris: ['https://a.example/request.jwt#hash'] }), {}));

  it('is never sent if it is a typed secret, another id, or an id that no URL can contain', () => {
    assert.deepEqual(Object.keys(identityProblems({ client_secret: 'typed' }, 'shop')), ['/client_secret']);
    assert.deepEqual(Object.keys(identityProblems({ client_id: 'other' }, 'shop')), ['/client_id']);
    assert.deepEqual(identityProblems({ client_id: 'shop' }, 'shop'), {});
    for (const id of ['.', '..', 'a\nb', 'a\u202eb', 'x'.repeat(256), 5])
      assert.deepEqual(Object.keys(identityProblems({ client_id: id }, undefined)), ['/client_id'], String(id));
    assert.deepEqual(identityProblems({ client_id: 'https://app.example/client' }, undefined), {});
  });
});

describe('the presets of a kind of application', () => {
  it('are accepted, include a secret only where it can be kept, and never the implicit or password grant', () => {
    for (const [name, { members, first }] of Object.entries(CLIENT_KINDS)) {
      assert.equal(members.token_endpoint_auth_method !== 'none', ['web', 'machine'].includes(name), name);
      const address = first.includes('redirect_uris') ? { redirect_uris: ['https://a.example/cb'] } : {};
      assert.deepEqual(problemsOf({ ...members, ...address }), {}, name);
      assert.doesNotMatch(JSON.stringify(members.grant_types), /implicit|password/);
      assert.doesNotMatch(JSON.stringify(members.response_types), /token/);
      assert.equal(members.skip_consent, undefined);
    }
    assert.deepEqual(CLIENT_KINDS.browser.members.grant_types, ['authorization_code']);
  });
});

import assert from 'node:assert/strict';
import { plainSearch } from '../../client/api/identity-list.ts';
import { credentialItems } from '../../client/features/identities/detail/credential-items.ts';
import { formatCredentials } from '../../client/features/identities/detail/credential-names.ts';
import { identityIdIn } from '../../client/format/identity-id.ts';
import { displayName } from '../../client/format/identity-name.ts';
import { addressWithoutPort } from '../../client/format/network-address.ts';
import { formatDevice } from '../../shared/format-device.ts';
import { identifierOf, nameOf } from '../../shared/identity-name.ts';

const ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';

describe('an identity id in pasted text', () => {
  for (const text of [ID, ` ${ID}\n`, ID.toUpperCase(), `"${ID}"`, `{${ID}}`, `<${ID}>,`])
    it(`is found in ${JSON.stringify(text)}`, () => assert.equal(identityIdIn(text), ID));
  for (const text of ['', 'nobody@example.org', ID.slice(1), `${ID}0`, `id ${ID}`, ID.replaceAll('-', '')])
    it(`is not found in ${JSON.stringify(text)}`, () => assert.equal(identityIdIn(text), undefined));
});

describe('names of an identity', () => {
  it('take the first identifier that is a text', () => {
    assert.equal(identifierOf({ email: 'a@example.org', username: 'a' }), 'a@example.org');
    assert.equal(identifierOf({ email: { deep: true }, username: 'ada' }), 'ada');
    assert.equal(identifierOf({ phone: '+49123456' }), '+49123456');
    assert.equal(identifierOf({ name: 'Ada' }), undefined);
  });

  it('are put together from whatever parts there are', () => {
    assert.equal(nameOf({ name: { first: 'Ada', last: 'King' } }), 'Ada King');
    assert.equal(nameOf({ name: { first: 'Ada' } }), 'Ada');
    assert.equal(nameOf({ name: ' Ada ' }), 'Ada');
    assert.equal(nameOf({ given_name: 'Ada', family_name: 'King' }), 'Ada King');
    assert.equal(nameOf({ name: ['x'] }), undefined);
    assert.equal(nameOf({}), undefined);
  });

  it('fall back to the id, so that an identity is always called something', () => {
    assert.equal(displayName({ id: ID, traits: { email: 'a@example.org', name: 'Ada' } }), 'a@example.org');
    assert.equal(displayName({ id: ID, traits: { name: 'Ada' } }), 'Ada');
    assert.equal(displayName({ id: ID, traits: {} }), ID);
  });
});

describe('a search without an index', () => {
  it('is for a whole identifier, or with a star for the beginning of one', () => {
    assert.deepEqual(plainSearch('ada*'), { prefix: 'ada' });
    assert.deepEqual(plainSearch('ada **'), { prefix: 'ada' });
    assert.deepEqual(plainSearch('ada'), { identifier: 'ada' });
    assert.deepEqual(plainSearch('*'), { identifier: '*' });
    assert.deepEqual(plainSearch(undefined), {});
  });
});

describe('a device in words', () => {
  for (const [userAgent, words] of [
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36',
      'Chrome on macOS',
    ],
    ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0', 'Edge on Windows'],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1',
      'Safari on iPhone',
    ],
    ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36', 'Chrome on Android'],
    ['curl/8.5.0', 'Curl'],
    ['Something/1.0', 'Unknown device'],
    ['', 'Unknown device'],
    [null, 'Unknown device'],
  ] as const)
    it(`is ${words} for ${userAgent}`, () => assert.equal(formatDevice(userAgent), words));

  for (const [address, bare] of [
    ['203.0.113.7', '203.0.113.7'],
    ['203.0.113.7:51234', '203.0.113.7'],
    ['[2001:db8::1]:443', '2001:db8::1'],
    ['2001:db8::1', '2001:db8::1'],
    ['', undefined],
    [null, undefined],
  ] as const)
    it(`has the address ${bare} for ${address}`, () => assert.equal(addressWithoutPort(address), bare));
});

describe('the list of credentials', () => {
  const credential = (type: string, identifiers: string[], set = true) => ({
    type,
    set,
    identifiers,
    deletable: true,
    created_at: null,
    updated_at: null,
  });
  const credentials = [
    credential('oidc', ['github:1', 'google:2']),
    credential('password', ['a', 'b']),
    credential('totp', []),
    credential('webauthn', ['a'], false),
    credential('saml', [], false),
  ];

  it('has one item for each account at a provider, one for any other type, and none for what is not set', () => {
    assert.deepEqual(
      credentialItems(credentials).map(({ credential: { type }, identifier }) => [type, identifier]),
      [
        ['oidc', 'github:1'],
        ['oidc', 'google:2'],
        ['password', undefined],
        ['totp', undefined],
      ],
    );
    assert.deepEqual(credentialItems([]), []);
  });

  it('names in words what is set', () => {
    assert.equal(formatCredentials(credentials), 'Social sign-in, Password, Authenticator app (TOTP)');
    assert.equal(formatCredentials([credential('webauthn', ['a'], false)]), 'none');
  });
});

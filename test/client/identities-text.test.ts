import assert from 'node:assert/strict';
import { plainSearch } from '../../client/api/identity-list.ts';
import { credentialItems } from '../../client/features/identities/detail/credential-items.ts';
import { standingState } from '../../client/features/identities/detail/standing-state.ts';
import { traitLabel } from '../../client/features/identities/detail/trait-labels.ts';
import { isSimilar, similarParts } from '../../client/features/identities/diagnosis/similar-parts.ts';
import { identifiersIn } from '../../client/features/identities/login-identifiers.ts';
import { identityIdIn } from '../../client/format/identity-id.ts';
import { displayName } from '../../client/format/identity-name.ts';
import { addressWithoutPort } from '../../client/format/network-address.ts';
import type { AuditRecord } from '../../shared/audit.ts';
import { formatDevice } from '../../shared/format-device.ts';
import { identifierOf } from '../../shared/identity-name.ts';

const ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';

describe('an identity id in pasted text', () => {
  it('is found alone or in quotes, and not within other text', () => {
    for (const text of [ID, ` ${ID}\n`, ID.toUpperCase(), `"${ID}"`, `<${ID}>,`])
      assert.equal(identityIdIn(text), ID, text);
    for (const text of ['', ID.slice(1), `${ID}0`, `id ${ID}`, ID.replaceAll('-', '')])
      assert.equal(identityIdIn(text), undefined, text);
  });
});

describe('names of an identity', () => {
  it('take the first identifier that is a text', () => {
    assert.equal(identifierOf({ email: 'a@example.org', username: 'a' }), 'a@example.org');
    assert.equal(identifierOf({ email: { deep: true }, username: 'ada' }), 'ada');
    assert.equal(identifierOf({ phone: '+49123456' }), '+49123456');
    assert.equal(identifierOf({ name: 'Ada' }), undefined);
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
  it('is its program and its system', () => {
    for (const [userAgent, words] of [
      ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0', 'Edge on Windows'],
      ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
      [
        'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1',
        'Safari on iPhone',
      ],
      ['Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/140.0.0.0 Mobile Safari/537.36', 'Chrome on Android'],
      ['curl/8.5.0', 'Curl'],
      ['Something/1.0', 'Unknown device'],
      [null, 'Unknown device'],
    ] as const)
      assert.equal(formatDevice(userAgent), words);
  });

  it('has an address without a port', () => {
    for (const [address, bare] of [
      ['203.0.113.7:51234', '203.0.113.7'],
      ['[2001:db8::1]:443', '2001:db8::1'],
      ['2001:db8::1', '2001:db8::1'],
      ['', undefined],
      [null, undefined],
    ] as const)
      assert.equal(addressWithoutPort(address), bare);
  });
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
});

const identifier = { 'ory.sh/kratos': { credentials: { password: { identifier: true } } } };
const SCHEMA = {
  definitions: { name: { type: 'object', properties: { first: { type: 'string', title: 'First name' } } } },
  properties: {
    traits: {
      type: 'object',
      properties: {
        email: { type: 'string', title: 'E-mail', ...identifier },
        phones: {
          type: 'array',
          items: { type: 'string', 'ory.sh/kratos': { credentials: { code: { via: 'sms' } } } },
        },
        name: { $ref: '#/definitions/name' },
        nick: { type: 'string' },
        contact: { type: 'string', 'ory.sh/kratos': { verification: { via: 'email' } } },
      },
    },
  },
};

describe('what a schema says about traits', () => {
  it('names them by their titles, also below others, and by their path where there is none', () => {
    assert.equal(traitLabel(SCHEMA, ['email']), 'E-mail');
    assert.equal(traitLabel(SCHEMA, ['name', 'first']), 'First name');
    assert.equal(traitLabel(SCHEMA, ['name', 'last']), 'name.last');
    assert.equal(traitLabel(SCHEMA, ['nick']), 'nick');
    assert.equal(traitLabel(SCHEMA, ['constructor']), 'constructor');
    assert.equal(traitLabel(undefined, ['email']), 'email');
  });

  it('tells which texts somebody signs in with', () => {
    const traits = {
      email: 'a@b.example',
      phones: ['+491', ''],
      nick: 'a',
      contact: 'c@d.example',
      name: { first: 'A' },
    };
    assert.deepEqual(identifiersIn(traits, SCHEMA.properties.traits, SCHEMA), [
      ['/traits/email', 'a@b.example'],
      ['/traits/phones/0', '+491'],
    ]);
  });
});

describe('similar identifiers', () => {
  it('differ in case, accents, dots, a tag, a domain, or one letter', () => {
    for (const [one, other] of [
      ['ada.lovelace@example.org', 'AdaLovelace@example.com'],
      ['ada.lovelace+shop@example.org', 'ada.lovelace@example.org'],
      ['ada.lovelace@example.org', 'ada.lovelaca@example.org'],
      ['ada.lovelace@example.org', 'ada.lovlace@example.org'],
      ['ada.lovelace@example.org', 'ada.lovelcae@example.org'],
      ['rené@example.org', 'rene@example.org'],
    ] as const) {
      assert.ok(isSimilar(one, other), `${one} ${other}`);
      assert.ok(isSimilar(other, one), `${other} ${one}`);
    }
    for (const [one, other] of [
      ['ada.lovelace@example.org', 'ada.byron@example.org'],
      ['ada.lovelace@example.org', 'ada.lovexxce@example.org'],
      ['ada.lovelace@example.org', 'ada.love@example.org'],
      ['abcd', 'badc'],
      ['@example.org', '@example.com'],
    ] as const)
      assert.ok(!isSimilar(one, other), `${one} ${other}`);
  });

  it('are searched for by halves, so that one mistake leaves one of them whole', () => {
    assert.deepEqual(similarParts('Ada.Lovelace+x@example.org'), ['ada.lo', 'velace']);
    assert.deepEqual(similarParts('abcde@example.org'), ['abc']);
    assert.deepEqual(similarParts('abab@example.org'), []);
    assert.deepEqual(similarParts('abcabc'), ['abc']);
  });
});

let sequence = 100;

/** Records are listed the newest first. */
const record = (details: AuditRecord['details'], subject: AuditRecord['subject'] = `identity:${ID}`): AuditRecord => {
  sequence -= 1;
  return {
    sequence,
    timestamp: '2026-11-23T10:00:00.000Z',
    action: 'proxy_write',
    actor: 'somebody',
    target: `/api/identity-admin/admin/identities/${ID}`,
    subject,
    details,
  };
};
const set = (state: string, status: number | null = 200, method = 'PATCH') => record({ method, status, state });

describe('the record of the change that gave a person their state', () => {
  const inactive = { id: ID, state: 'inactive' };

  it('is the newest that set it, whatever else was changed since', () => {
    const last = set('inactive');
    const records = [record({ method: 'PATCH', status: 200 }), last, set('active'), set('inactive')];
    assert.equal(standingState(inactive, records), last);
  });

  it('is none where the state is no longer what the newest set', () => {
    assert.equal(standingState({ id: ID, state: 'active' }, [set('inactive'), set('active')]), undefined);
  });

  it('is none where nothing was recorded of it', () => {
    assert.equal(standingState(inactive, [record({ method: 'PATCH', status: 200 })]), undefined);
  });

  it('is not one that was refused, that nobody knows the outcome of, or that created the person', () => {
    const last = set('inactive');
    const others = [set('active', 409), set('active', null), set('active', 504), set('inactive', 201, 'POST')];
    assert.equal(standingState(inactive, [...others, last]), last);
    assert.equal(standingState(inactive, others), undefined);
  });

  it('is not one about somebody else', () => {
    const other = record({ method: 'PATCH', status: 200, state: 'inactive' }, 'identity:other');
    assert.equal(standingState(inactive, [other]), undefined);
  });
});

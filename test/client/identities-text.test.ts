import assert from 'node:assert/strict';
import { lastStateChange } from '../../client/features/identities/change-state.tsx';
import { isSimilar, similarParts } from '../../client/features/sign-in-diagnosis/can-they-sign-in.tsx';
import { displayName, identityIdIn } from '../../client/lib/identity-name.ts';
import { identifiersIn } from '../../client/record/traits-check.ts';
import type { AuditRecord } from '../../shared/audit.ts';
import { formatDevice } from '../../shared/format-device.ts';
import { identifierOf, marksFor, marksIn, nameOf } from '../../shared/identity-name.ts';

const ID = '9f425a8d-7efc-4768-8f23-7647a74fdf13';

describe('an identity ID in pasted text', () => {
  it('is found whole, whatever is around it', () => {
    for (const text of [ID, ` ${ID}\n`, ID.toUpperCase(), `"${ID}"`, `id <${ID}>,`])
      assert.equal(identityIdIn(text), ID, text);
    for (const text of ['', ID.slice(1), `${ID}0`, `${ID}@b.example`, ID.replaceAll('-', '')])
      assert.equal(identityIdIn(text), undefined, text);
  });
});

describe('the name of an identity', () => {
  it('comes from the trait that the schema marks, or else from the usual traits in any spelling', () => {
    const marked = { type: 'string', 'ory.sh/kratos': { credentials: { password: { identifier: true } } } };
    const display = { type: 'string', 'ory.sh/kratos': { credentials: { passkey: { display_name: true } } } };
    const traitsSchema = {
      properties: {
        agent_name: { allOf: [{ $ref: '#/definitions/marked' }] },
        contact: { properties: { emails: { type: 'array', items: marked } } },
        shown_as: display,
        email: { type: 'string' },
      },
    };
    const schema = { definitions: { marked }, properties: { traits: traitsSchema } };
    const schemaMarks = marksIn([{ id: 'agents', schema }, { id: 'others', schema: {} }, 'nonsense']);
    for (const [schemaId, traits, identifier, name] of [
      ['agents', { agent_name: 'zora', email: 'z@example.org', shown_as: 'Zora N.' }, 'zora', 'Zora N.'],
      ['agents', { contact: { emails: ['', 'first@example.org'] } }, 'first@example.org', undefined],
      [undefined, { agent_name: 'zora' }, 'zora', undefined],
      ['others', { agent_name: 'zora' }, undefined, undefined],
      ['others', { emails: ['a@example.org', 'b@example.org'] }, 'a@example.org', undefined],
      ['others', { 'E-Mail': 'a@example.org', firstName: 'Ada', last_name: ' Byron ' }, 'a@example.org', 'Ada Byron'],
      ['others', { phone: '+49', userName: 'ada', name: { given: 'Ada' } }, 'ada', 'Ada'],
    ] as const) {
      const marks = marksFor(schemaMarks, schemaId);
      assert.deepEqual(
        [identifierOf(traits, marks), nameOf(traits, marks)],
        [identifier, name],
        JSON.stringify(traits),
      );
    }
  });

  it('is the ID of the identity if no trait contains one', () => {
    assert.equal(displayName({ id: ID, traits: { email: 'a@example.org', name: 'Ada' } }), 'a@example.org');
    assert.equal(displayName({ id: ID, traits: { name: 'Ada' } }), 'Ada');
    assert.equal(displayName({ id: ID, traits: {} }), ID);
  });
});

describe('the description of a device', () => {
  it('names the browser and operating system if the user agent is known', () => {
    for (const [userAgent, words] of [
      ['Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36 Edg/140.0', 'Edge on Windows'],
      ['Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0', 'Firefox on Linux'],
      [
        'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Mobile/15E148 Safari/604.1',
        'Safari on iPhone',
      ],
      ['Something/1.0', 'Unknown device'],
      [null, 'Unknown device'],
    ] as const)
      assert.equal(formatDevice(userAgent), words);
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

describe('the login identifiers of an identity', () => {
  it('are the non-empty traits that the schema marks as identifiers', () => {
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
  it('differ only in case, accents, dots, a tag, a domain, or one letter', () => {
    for (const [first, second] of [
      ['ada.lovelace@example.org', 'AdaLovelace@example.com'],
      ['ada.lovelace+shop@example.org', 'ada.lovelace@example.org'],
      ['ada.lovelace@example.org', 'ada.lovelaca@example.org'],
      ['ada.lovelace@example.org', 'ada.lovelcae@example.org'],
      ['rené@example.org', 'rene@example.org'],
    ] as const) {
      assert.ok(isSimilar(first, second), `${first} ${second}`);
      assert.ok(isSimilar(second, first), `${second} ${first}`);
    }
    for (const [first, second] of [
      ['ada.lovelace@example.org', 'ada.byron@example.org'],
      ['ada.lovelace@example.org', 'ada.lovexxce@example.org'],
      ['abcd', 'badc'],
      ['@example.org', '@example.com'],
    ] as const)
      assert.ok(!isSimilar(first, second), `${first} ${second}`);
  });

  it('are searched for by halves, because a single typo leaves one half unchanged', () => {
    assert.deepEqual(similarParts('Ada.Lovelace+x@example.org'), ['ada.lo', 'velace']);
    assert.deepEqual(similarParts('abcde@example.org'), ['abc']);
  });
});

let sequence = 100;

/** Returns a record older than the one before, because the service lists records newest first. */
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

describe('the record of the change that set a person’s state', () => {
  const inactive = { id: ID, state: 'inactive' };

  it('is the latest that set the current state, even if later records change something else', () => {
    const last = set('inactive');
    const records = [record({ method: 'PATCH', status: 200 }), last, set('active'), set('inactive')];
    assert.equal(lastStateChange(inactive, records), last);
  });

  it('is never a record of a failure, of an unknown outcome or of the creation of the person', () => {
    const last = set('inactive');
    const others = [set('active', 409), set('active', null), set('active', 504), set('inactive', 201, 'POST')];
    assert.equal(lastStateChange(inactive, [...others, last]), last);
    assert.equal(lastStateChange(inactive, others), undefined);
  });
});

import assert from 'node:assert/strict';
import { traitLabel } from '../../client/features/identities/detail/trait-labels.ts';
import { identifiersIn } from '../../client/features/identities/login-identifiers.ts';

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

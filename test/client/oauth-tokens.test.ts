import assert from 'node:assert/strict';
import { tokenIn } from '../../client/features/introspect/pasted-token.ts';
import { endOf } from '../../client/features/introspect/token-end.ts';

describe('a pasted token', () => {
  for (const [what, text] of [
    ['as it is', 'ory_at_abc.d-e_f'],
    ['with its header', 'Authorization: Bearer ory_at_abc.d-e_f'],
    ['with its scheme', 'bearer  ory_at_abc.d-e_f\n'],
    ['in quotes', '"ory_at_abc.d-e_f",'],
    ['broken over lines', 'ory_at_abc\n  .d-e_f'],
  ] as const)
    it(`is found ${what}`, () => assert.equal(tokenIn(text), 'ory_at_abc.d-e_f'));
});

describe('the way to end a token', () => {
  const answer = { active: true, client_id: 'app', sub: 'somebody' };
  it('is its own revocation only where the client needs no secret for it', () => {
    assert.deepEqual(endOf(answer, { client_id: 'app', token_endpoint_auth_method: 'none' }), {
      way: 'revoke',
      clientId: 'app',
    });
  });

  it('is the consent otherwise, also where the client cannot be read', () => {
    for (const client of [{ client_id: 'app', token_endpoint_auth_method: 'client_secret_basic' }, undefined])
      assert.deepEqual(endOf(answer, client), { way: 'consent', clientId: 'app', subject: 'somebody' });
  });

  it('is all access tokens of a client that acts in its own name, and none where no client is named', () => {
    assert.deepEqual(endOf({ ...answer, sub: 'app' }, undefined), { way: 'client-tokens', clientId: 'app' });
    assert.equal(endOf({ active: true }, undefined), undefined);
  });
});

import assert from 'node:assert/strict';
import { identityService, UPSTREAMS } from '../../shared/upstreams.ts';

describe('the table of upstreams', () => {
  it('pairs each admin API with the public one of its service', () => {
    const pairs = UPSTREAMS.filter(({ admin }) => admin).map(({ name, counterpart }) => [name, counterpart]);
    assert.deepEqual(pairs, [
      ['identity-admin', 'identity'],
      ['iam-identity-admin', 'iam-identity'],
      ['oauth-admin', 'oauth'],
    ]);
    for (const { name, counterpart, deployment } of UPSTREAMS) {
      const other = UPSTREAMS.find((upstream) => upstream.name === counterpart);
      assert.equal(other?.counterpart, name);
      assert.equal(other?.deployment, deployment);
    }
  });

  it('knows what can hurt: identities in both identity services’ admin APIs, private keys in Hydra’s', () => {
    const those = (fact: 'holdsIdentities' | 'holdsPrivateKeys') =>
      UPSTREAMS.filter((upstream) => upstream[fact]).map(({ name }) => name);
    assert.deepEqual(those('holdsIdentities'), ['identity-admin', 'iam-identity-admin']);
    assert.deepEqual(those('holdsPrivateKeys'), ['oauth-admin']);
  });

  it('gives each deployment its own identities', () => {
    assert.deepEqual(identityService('customer'), { publicApi: 'identity', adminApi: 'identity-admin' });
    assert.deepEqual(identityService('workforce'), { publicApi: 'iam-identity', adminApi: 'iam-identity-admin' });
  });

  it('reads each address from a variable named as the contract names it', () => {
    assert.deepEqual(
      UPSTREAMS.map(({ urlVariable }) => urlVariable),
      [
        'IDENTITY_URL',
        'IDENTITY_ADMIN_URL',
        'IAM_IDENTITY_URL',
        'IAM_IDENTITY_ADMIN_URL',
        'OAUTH_URL',
        'OAUTH_ADMIN_URL',
      ],
    );
  });
});

import assert from 'node:assert/strict';
import { isRefusedPath } from '../../server/upstream/proxy/refusals.ts';
import { upstreamsAt } from '../support/proxy-app.ts';

describe('a path of the OAuth admin API', () => {
  const [oauthAdmin, identityAdmin] = ['oauth-admin', 'identity-admin'].map(
    (name) => upstreamsAt({}).find((upstream) => upstream.name === name) ?? assert.fail(name),
  ) as [ReturnType<typeof upstreamsAt>[0], ReturnType<typeof upstreamsAt>[0]];

  const refused = [
    '/admin/keys',
    '/admin/keys/hydra.openid.id-token',
    '/keys',
    '/keys/x/y?z',
    '/admin/keys?a=b',
    '/%61dmin/%6beys/x',
    '/admin%2Fkeys%2Fx',
    '/admin%2fkeys',
    '/admin%252Fkeys',
    '/%25252561dmin/keys',
    '/admin/%2e%2e/keys',
    '/x/..%2fadmin/keys',
    '/admin%5ckeys',
    '/admin;x=y/keys;z/1',
    '/ADMIN/Keys',
    '/admin//keys',
    '/admin/keys%3Fx',
    '/admin/keys%23x',
    '/admin/keys%20',
    '/admin/x%5Cy%2F..%2Fkeys/set',
    '/admin/keys/set/%3B%2F%3B%2F..%2F..',
    `/clients/%25${'25'.repeat(4000)}`,
  ];
  it('is refused if any decoding of it leads to private keys', () => {
    for (const path of refused) assert.equal(isRefusedPath(oauthAdmin, path), true, path.slice(0, 60));
  });

  const served = [
    '/admin/clients',
    '/admin/clients/keys',
    '/admin/keys-of-mine',
    '/keyset',
    '/.well-known/jwks.json',
    '/admin/clients?next=/admin/keys',
    '/admin/clients/https%3A%2F%2Fclient.example%2Fkeys',
    '/admin/%',
    '/',
  ];
  it('is served if it only resembles a path to private keys', () => {
    for (const path of served) assert.equal(isRefusedPath(oauthAdmin, path), false, path);
  });

  it('to private keys is not refused on the identity admin API', () => {
    assert.equal(isRefusedPath(identityAdmin, '/admin/keys'), false);
  });
});

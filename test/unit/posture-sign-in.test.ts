import assert from 'node:assert/strict';
import { signInChecks } from '../../server/features/security/posture/sign-in.ts';
import { startFaultingUpstream } from '../support/faulting-upstream.ts';

describe('the check of the page to sign in on', () => {
  it('begins no second sign-in within ten minutes of one that led there, and one at once after a failure', async () => {
    const server = await startFaultingUpstream();
    let elapsed = 0;
    let page = 200;
    server.before = ({ path }) =>
      path.startsWith('/oauth2/auth') ? { status: 302, headers: { location: `${server.url}/page` } } : { status: page };
    const auth = { url: server.url, internalUrl: server.url, clientId: 'dashboard' } as Parameters<
      typeof signInChecks
    >[0]['auth'];
    const [, check] = signInChecks({ auth, baseUrl: 'http://localhost:3000' }, () => elapsed);
    const begun = (): number => server.seen.filter(({ path }) => path.startsWith('/oauth2/auth')).length;
    try {
      assert.equal(check?.id, 'sign_in_page');
      page = 500;
      for (const times of [1, 2]) {
        assert.equal((await check.look()).status, 'fail');
        assert.equal(begun(), times);
      }
      page = 200;
      for (const [at, times] of [
        [0, 3],
        [599_999, 3],
        [600_000, 4],
      ] as const) {
        elapsed = at;
        assert.equal((await check.look()).status, 'pass');
        assert.equal(begun(), times, `${at}`);
      }
    } finally {
      await server.close();
    }
  });
});

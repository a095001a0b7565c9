import assert from 'node:assert/strict';
import { Router } from 'express';
import type { Route } from '../../server/app.ts';
import type { Audience } from '../../shared/session.ts';
import { answering, type GateApp, startGateApp } from '../support/gate-app.ts';

/** What a route for each audience answers without a session, to a viewer and to an admin. A further role is named here too. */
const ANSWERS: Record<Audience, [none: number, viewer: number, admin: number]> = {
  admin: [401, 403, 200],
  any: [401, 200, 200],
};
const audiences = Object.keys(ANSWERS) as Audience[];

function exactRouter(): Router {
  const router = Router({ caseSensitive: true });
  router.get('/', answering('there'));
  return router;
}

describe('a route behind the session', () => {
  let app: GateApp;
  before(async () => {
    app = await startGateApp({ routes: audiences.map((who) => [`/api/for-${who}`, who, exactRouter()]) });
  });
  after(() => app.close());

  const statuses = (path: string): Promise<number[]> =>
    Promise.all([undefined, 'viewer', 'admin'].map(async (session) => (await app.call(path, { session })).status));

  for (const who of audiences) {
    it(`mounted for ${who} answers ${ANSWERS[who]} to nobody, a viewer and an admin`, async () => {
      assert.deepEqual(await statuses(`/api/for-${who}`), ANSWERS[who]);
    });

    it(`mounted for ${who} reveals only to permitted roles that a deeper path is unknown`, async () => {
      const expected = ANSWERS[who].map((status) => (status === 200 ? 404 : status));
      assert.deepEqual(await statuses(`/api/for-${who}/deeper`), expected);
    });
  }

  it('does not compile without an audience, nor with an unknown one', () => {
    // @ts-expect-error whom it serves is missing
    const withoutRole: Route = ['/api/x', exactRouter()];
    // @ts-expect-error nobody has this role
    const unknownRole: Route = ['/api/x', 'owner', exactRouter()];
    assert.equal([withoutRole, unknownRole].length, 2);
  });
});

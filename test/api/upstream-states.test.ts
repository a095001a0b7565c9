import assert from 'node:assert/strict';
import type { GivenAnswer, SeenRequest } from '../support/faulting-upstream.ts';
import { type MappedDashboard, startMappedDashboard } from '../support/mapped-dashboard.ts';

const NOBODY = '6e0b4b1c-9d1f-4a55-8d5a-5d0c5f3a7b11';

/** States of the admin APIs: when `down`, nothing listens; when `slow`, answers are late but in time. */
const STATES = {
  up: () => undefined,
  slow: () => new Promise<undefined>((resolve) => setTimeout(resolve, 300, undefined)),
  silent: () => 'silence' as const,
  down: () => undefined,
  lying: () => ({ status: 200, body: '{"data":"http://10.1.2.3:4434/"}' }),
  failing: () => ({ status: 503, body: '{"error":{"message":"pq: 10.1.2.3:5432"}}' }),
} satisfies Record<string, (seen: SeenRequest) => GivenAnswer | undefined | Promise<undefined>>;
type State = keyof typeof STATES;

interface Route {
  path: string;
  /** Whether a viewer may ask. */
  viewer: boolean;
  /** What an admin gets. */
  answers: Record<State, number>;
}
const ASKS = { up: 200, slow: 200, silent: 504, down: 502, lying: 502, failing: 502 };
const ALWAYS = { up: 200, slow: 200, silent: 200, down: 200, lying: 200, failing: 200 };
const ROUTES: Route[] = [
  { path: '/api/session-locations', viewer: true, answers: ASKS },
  { path: '/api/security/sessions?lat=60&lng=11', viewer: false, answers: ASKS },
  { path: `/api/identities/${NOBODY}/credentials`, viewer: false, answers: { ...ASKS, up: 404, slow: 404 } },
  { path: '/api/dashboard/statistics', viewer: true, answers: ALWAYS },
  { path: '/api/services', viewer: true, answers: ALWAYS },
  { path: '/api/services/identity-admin', viewer: true, answers: ALWAYS },
  { path: '/api/geo?ip=203.0.113.1', viewer: true, answers: ALWAYS },
];

describe('routes that ask upstreams', () => {
  let mapped: MappedDashboard;
  before(async () => {
    mapped = await startMappedDashboard();
  });
  after(() => mapped.close());

  for (const state of Object.keys(STATES) as State[])
    describe(`while they are ${state}`, () => {
      before(async () => {
        const url = state === 'down' ? 'http://127.0.0.1:1' : undefined;
        const { identityAdmin, oauthAdmin } = mapped;
        await mapped.restart({
          IDENTITY_ADMIN_URL: url ?? identityAdmin.url,
          OAUTH_ADMIN_URL: url ?? oauthAdmin.url,
        });
        identityAdmin.before = STATES[state];
        oauthAdmin.before = STATES[state];
      });

      for (const { path, viewer, answers } of ROUTES)
        it(`${path.replace(NOBODY, ':id')} is 401 for nobody, ${viewer ? answers[state] : 403} for a viewer, ${answers[state]} for an admin`, async () => {
          const asked = [undefined, mapped.sessions.viewer, mapped.sessions.admin].map(async (session) => {
            const answer = await mapped.dashboard.call(path, { session });
            const text = await answer.text();
            assert.equal(answer.headers.get('cache-control'), 'no-store');
            assert.match(answer.headers.get('content-type') ?? '', /^application\/json/);
            assert.doesNotMatch(text, /10\.1\.2\.3|127\.0\.0\.1|localhost|https?:/);
            const body = JSON.parse(text) as Record<string, unknown>;
            if (answer.status >= 400) assert.equal(typeof body['error'], 'string');
            return answer.status;
          });
          assert.deepEqual(await Promise.all(asked), [401, viewer ? answers[state] : 403, answers[state]]);
        });
    });
});

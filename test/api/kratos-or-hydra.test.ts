import assert from 'node:assert/strict';
import type { Statistics } from '../../shared/dashboard.ts';
import type { Posture } from '../../shared/security.ts';
import { startWithAdmin } from '../support/dashboard.ts';
import { eventually } from '../support/eventually.ts';
import { ofSuite } from '../support/of-suite.ts';

const SHAPES = [
  ['Kratos', 'identity identity-admin', { OAUTH_URL: '', OAUTH_ADMIN_URL: '' }, 'identities', 'clients'],
  ['Hydra', 'oauth oauth-admin', { IDENTITY_URL: '', IDENTITY_ADMIN_URL: '' }, 'clients', 'identities'],
] as const;

describe('a dashboard with', () => {
  const dashboard = ofSuite(() => startWithAdmin({ storeFromSandbox: true }));
  const get = async <T>(path: string): Promise<T> => (await dashboard.callAsAdmin(path)).json() as T;
  const problems = async (): Promise<string[]> =>
    (await get<Posture>('/api/security/posture')).checks
      .filter(({ status }) => status === 'fail' || status === 'warn')
      .map(({ id }) => id);
  let problemsOfBoth: string[];
  before(async () => {
    problemsOfBoth = await problems();
  });

  for (const [title, upstreams, env, read, unread] of SHAPES)
    it(`${title} alone names only it in the page, reports no problem of the other, and reads only the lists that it has`, async () => {
      await dashboard.restart(env);
      const page = await (await dashboard.call('/', { headers: { accept: 'text/html' } })).text();
      assert.ok(page.includes(`<meta name="upstreams" content="${upstreams}" />`), page);
      for (const id of await problems()) assert.ok(problemsOfBoth.includes(id), id);
      const statistics = (): Promise<Statistics> => get('/api/dashboard/statistics');
      await eventually(async () => (await statistics())[read] !== null, true);
      assert.equal((await statistics())[unread], null);
      assert.doesNotMatch(dashboard.logged.join(''), /"level":[456]0.*(?:index|list)/);
    });
});

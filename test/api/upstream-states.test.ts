import assert from 'node:assert/strict';
import { eventually } from '../support/eventually.ts';
import type { StubResponse } from '../support/faulting-upstream.ts';
import { startMappedDashboard } from '../support/mapped-dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';

const NOWHERE = 'http://127.0.0.1:1';
const CREDENTIALS = '/api/identities/6e0b4b1c-9d1f-4a55-8d5a-5d0c5f3a7b11/credentials';
/** These routes need data that only an upstream has; those in OPTIONAL respond without that data. */
const NEEDED = ['/api/identities', CREDENTIALS, '/api/session-locations', '/api/security/sessions?lat=60&lng=11'];
const OPTIONAL = ['/api/dashboard/statistics', '/api/services', '/api/services/identity-admin', '/api/geo?ip=1.2.3.4'];

describe('routes with data of an upstream', () => {
  const mapped = ofSuite(startMappedDashboard);

  async function statusOf(path: string): Promise<number> {
    const response = await mapped.dashboard.call(path, { session: mapped.sessions.admin });
    const text = await response.text();
    assert.equal(response.headers.get('cache-control'), 'no-store');
    assert.match(response.headers.get('content-type') ?? '', /^application\/json/);
    assert.doesNotMatch(text, /10\.1\.2\.3|127\.0\.0\.1|elsewhere|localhost|https?:/);
    if (response.status >= 400) assert.deepEqual(Object.keys(JSON.parse(text) as object), ['error', 'message']);
    return response.status;
  }

  const STATES: [title: string, response: StubResponse, env?: NodeJS.ProcessEnv][] = [
    ['fails', { status: 503, body: '{"error":{"message":"pq: 10.1.2.3:5432"}}' }],
    ['returns an object in place of a list', { status: 200, body: '{"data":"http://10.1.2.3:4434/"}' }],
    ['lists objects of another kind', { status: 200, body: '[{"id":"1"},null]' }],
    ['refuses the key', { status: 401, body: '{"error":{"code":401}}' }],
    ['refuses connections', 'silence', { IDENTITY_ADMIN_URL: NOWHERE, OAUTH_ADMIN_URL: NOWHERE }],
    ['has no address', 'silence', { IDENTITY_ADMIN_URL: '', OAUTH_ADMIN_URL: '' }],
  ];
  for (const [title, response, env] of STATES)
    it(`respond 502, or 200 without its data, if it ${title}, and reveal no details`, async () => {
      await mapped.restart(env);
      mapped.identityAdmin.before = () => response;
      mapped.oauthAdmin.before = () => response;
      // The status is 504 until the index is open, which takes seconds on a slow machine.
      for (const path of NEEDED) await eventually(() => statusOf(path), 502, path);
      for (const path of OPTIONAL) assert.equal(await statusOf(path), 200, path);
    });

  it('respond 504 while it does not respond, and recover when it does', async () => {
    await mapped.restart({ PROXY_TIMEOUT_MS: '1000' });
    mapped.identityAdmin.before = () => 'silence';
    for (const path of ['/api/identities', CREDENTIALS]) assert.equal(await statusOf(path), 504, path);
    await mapped.restart();
    assert.deepEqual([await statusOf('/api/identities'), await statusOf(CREDENTIALS)], [200, 404]);
  });
});

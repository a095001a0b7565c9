import assert from 'node:assert/strict';
import type { SignInPage } from '../../shared/sign-ins.ts';
import { startDashboard } from '../support/dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';

describe('the events of the sandbox', () => {
  const dashboard = ofSuite(() => startDashboard({ events: true }));

  async function logged(session: string, query = ''): Promise<SignInPage['events']> {
    const response = await dashboard.call(`/api/security/sign-ins?${query}`, { session });
    return ((await response.json()) as SignInPage).events;
  }

  it('put sign-ins into the sign-in log, and failures with an identity only if the password was wrong', async () => {
    await dashboard.failToSignIn('nobody@example.com');
    await dashboard.failToSignIn('admin@example.com');
    const session = await dashboard.signIn('admin');
    await dashboard.sandbox.flushEvents();
    const events = await logged(session);
    assert.deepEqual(
      events.map(({ event, reason, identity_id, session_id }) => [
        event,
        reason,
        identity_id !== null,
        session_id !== null,
      ]),
      [
        ['LoginSucceeded', null, true, true],
        ['LoginFailed', 'invalid_credentials', true, false],
        ['LoginFailed', 'invalid_credentials', false, false],
      ],
    );
  });
});

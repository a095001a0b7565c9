import assert from 'node:assert/strict';
import type { ClientUsagePage, SignInPage } from '../../shared/sign-ins.ts';
import { startDashboard } from '../support/dashboard.ts';
import { ofSuite } from '../support/of-suite.ts';

describe('the events of the sandbox', () => {
  const dashboard = ofSuite(() => startDashboard({ events: true, sandbox: { people: 100 } }));

  async function read<T>(path: string, session: string): Promise<T> {
    await dashboard.sandbox.flushEvents();
    return (await (await dashboard.call(path, { session })).json()) as T;
  }

  it('fill the log of a new sandbox with a month that fits its people, sessions and clients, once', async () => {
    const session = await dashboard.signIn('admin');
    const old = new Date(Date.now() - 20 * 86_400_000).toISOString();
    const list = `/api/security/sign-ins?page_size=100&to=${old}`;
    const past = await read<SignInPage>(list, session);
    const { clients } = await read<ClientUsagePage>('/api/oauth-clients/usage?page_size=100', session);
    assert.ok(past.events.length > 20 && clients.length > 10);
    const signIn = past.events.find(({ event }) => event === 'LoginSucceeded');
    const { IDENTITY_ADMIN_URL } = dashboard.sandbox.environment;
    const expanded = `${signIn?.session_id}?expand=identity&expand=devices`;
    const response = await fetch(`${IDENTITY_ADMIN_URL}/admin/sessions/${expanded}`);
    const { identity, devices } = (await response.json()) as { identity: { id: string }; devices: [object] };
    assert.deepEqual([identity.id, Reflect.get(devices[0], 'ip_address')], [signIn?.identity_id, signIn?.ip]);
    await dashboard.restart();
    assert.deepEqual(await read(list, session), past);
  });

  it('report sign-ins, recoveries and tokens as Kratos and Hydra do', async () => {
    const { OAUTH_URL, OAUTH_ADMIN_URL, IDENTITY_ADMIN_URL } = dashboard.sandbox.environment;
    const from = new Date().toISOString();
    const method = 'POST';
    const headers = { 'content-type': 'application/json' };
    const client = { grant_types: ['client_credentials'], token_endpoint_auth_method: 'client_secret_post' };
    const body = JSON.stringify({ ...client, client_id: 'job', client_secret: 'right-secret' });
    await fetch(`${OAUTH_ADMIN_URL}/admin/clients`, { method, headers, body });
    for (const more of ['right-secret', 'wrong-secret', 'right-secret&scope=more']) {
      const form = new URLSearchParams(`grant_type=client_credentials&client_id=job&client_secret=${more}`);
      await fetch(`${OAUTH_URL}/oauth2/token`, { method, body: form });
    }
    await dashboard.failToSignIn('nobody@example.com');
    await dashboard.failToSignIn('admin@example.com');
    const session = await dashboard.signIn('admin');
    const [signIn] = (await read<SignInPage>('/api/security/sign-ins', session)).events;
    const admin = signIn?.identity_id ?? '';
    const recovery = JSON.stringify({ identity_id: admin });
    await fetch(`${IDENTITY_ADMIN_URL}/admin/recovery/code`, { method, headers, body: recovery });

    const { events } = await read<SignInPage>(`/api/security/sign-ins?from=${from}`, session);
    const shown = events.map(({ event, reason, client_id, identity_id }) =>
      client_id === null ? [event, reason, identity_id] : [event, client_id],
    );
    assert.deepEqual(shown.reverse(), [
      ['OAuth2TokenExchangeError', 'invalid_client', null],
      ['OAuth2TokenExchangeError', 'job'],
      ['LoginFailed', 'invalid_credentials', null],
      ['LoginFailed', 'invalid_credentials', admin],
      ['LoginSucceeded', null, admin],
      ['RecoveryInitiatedByAdmin', null, admin],
    ]);
    const { clients } = await read<ClientUsagePage>('/api/oauth-clients/usage?client_id=job', session);
    assert.equal(clients[0]?.tokens[0]?.count, 1);
  });
});

import assert from 'node:assert/strict';
import { type Dashboard, startDashboard } from '../support/dashboard.ts';
import { activeOperator, type FakeProvider, json, OPERATOR_ID, startFakeProvider } from '../support/fake-provider.ts';
import { CookieJar, visit } from '../support/http-sign-in.ts';

const SECRETS = {
  code: 'authorization-code-8c21',
  accessToken: 'access-token-77ab',
  value: 'the-value-of-a-setting-51d0',
  plainValue: 'a-plain-value-93fe',
  storeKey: 'key-of-the-identity-store-2b7c',
  email: 'ada.lovelace@example.com',
  proxied: 'proxied-body-and-query-0c3d',
};

describe('secrets', () => {
  let provider: FakeProvider;
  let dashboard: Dashboard;
  const more: string[] = [];
  const responses: string[] = [];

  before(async () => {
    provider = await startFakeProvider();
    provider.token = json({ access_token: SECRETS.accessToken, expires_in: 3600 });
    provider.userinfo = json({ sub: OPERATOR_ID, email: SECRETS.email });
    provider.identity = (request, res) =>
      request.path === '/admin/identities'
        ? void res
            .writeHead(500, { 'Content-Type': 'application/json' })
            .end(JSON.stringify({ error: { code: 500, reason: `${SECRETS.email} ${OPERATOR_ID} at ${provider.url}` } }))
        : json(activeOperator())(request, res);
    dashboard = await startDashboard({
      env: {
        LOG_LEVEL: 'trace',
        AUTH_URL: provider.url,
        AUTH_INTERNAL_URL: provider.url,
        AUTH_IDENTITY_ADMIN_URL: provider.url,
        IDENTITY_ADMIN_URL: provider.url,
        AUTH_IDENTITY_ADMIN_KEY: SECRETS.storeKey,
        OPERATOR_SCHEMA_IDS: '',
      },
    });
    await wholeFlow();
  });
  after(async () => {
    await dashboard.close();
    await provider.close();
  });

  /** Signs in, works with settings, identities and a proxy, provokes errors, signs out. */
  async function wholeFlow(): Promise<void> {
    const jar = new CookieJar();
    const login = await visit(`${dashboard.url}/api/auth/login`, jar);
    const state = new URL(login.headers.get('location') ?? '').searchParams.get('state') ?? '';
    more.push(state, jar.get('dashboard-login') ?? '', (jar.get('dashboard-login') ?? '').split('.')[0] ?? '');
    await visit(`${dashboard.url}/api/auth/callback?code=${SECRETS.code}&state=${state}`, jar);
    const session = jar.get('dashboard-session') ?? '';
    more.push(session, session.split('.')[1] ?? '');
    const call = async (path: string, options: object = {}): Promise<Response> => {
      const response = await dashboard.call(path, { session, ...options });
      if (response.status >= 400) responses.push(JSON.stringify([...response.headers]), await response.clone().text());
      return response;
    };
    const secret = { key: 'mail.password', value: SECRETS.value, encrypted: true };
    const stored = (await (await call('/api/settings', { json: secret })).json()) as { value: string };
    more.push(stored.value);
    await call('/api/settings', { json: { key: 'mail.host', value: SECRETS.plainValue } });
    await call('/api/settings', { json: { key: 'mail.host', value: SECRETS.plainValue, colour: SECRETS.value } });
    await call('/api/settings', {
      body: `{"value":"${SECRETS.value}`,
      headers: { 'content-type': 'application/json' },
    });
    await call('/api/settings/mail.password?decrypt=true');
    await call('/api/encrypt', { json: { value: SECRETS.value } });
    await call(`/api/identities?page_token=${SECRETS.proxied}`);
    await call(`/api/identity-admin/identities/${OPERATOR_ID}?q=${SECRETS.proxied}`, {
      method: 'PATCH',
      body: SECRETS.proxied,
    });
    await call('/api/identity-admin/admin/identities');
    await call('/api/settings/%');
    await call('/api/auth/logout', { method: 'POST' });
    await call('/api/settings');
  }

  it('of a sign-in, of settings and of proxied requests are in no log line', () => {
    const log = dashboard.logged.join('');
    assert.match(log, /setting_decrypt/);
    assert.match(log, /"action":"login"/);
    for (const secret of [...Object.values(SECRETS), ...more]) {
      assert.ok(secret.length > 5);
      assert.ok(!log.includes(secret), `${secret.slice(0, 12)}… is in the log`);
    }
  });

  it('and addresses, identifiers and frames are in no error answer', () => {
    const said = responses.join('\n');
    assert.ok(responses.length > 8);
    const port = new URL(provider.url).port;
    for (const word of [
      SECRETS.email,
      OPERATOR_ID,
      port,
      SECRETS.value,
      SECRETS.proxied,
      'node_modules',
      '.ts:',
      'knex',
    ])
      assert.ok(!said.includes(word), `${word} is in an error answer`);
  });
});

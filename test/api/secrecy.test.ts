import assert from 'node:assert/strict';
import {
  jsonResponse,
  OPERATOR_ID,
  operatorIdentity,
  type ProviderFlow,
  startProviderFlow,
} from '../support/fake-provider.ts';
import { CookieJar } from '../support/http-sign-in.ts';

const SECRETS = {
  code: 'authorization-code-8c21',
  accessToken: 'access-token-77ab',
  value: 'the-value-of-a-setting-51d0',
  plainValue: 'a-plain-value-93fe',
  storeKey: 'key-of-the-identity-store-2b7c',
  email: 'ada.lovelace@example.com',
  proxied: 'proxied-body-and-query-0c3d',
};

describe('a secret', () => {
  let flow: ProviderFlow;
  /** Secrets that the service creates during the test. */
  const created: string[] = [];
  /** Headers and bodies of error responses. */
  const errors: string[] = [];

  before(async () => {
    flow = await startProviderFlow({
      env: { LOG_LEVEL: 'trace', AUTH_IDENTITY_ADMIN_KEY: SECRETS.storeKey, OPERATOR_SCHEMA_IDS: '' },
    });
    const { provider } = flow;
    await flow.dashboard.restart({ IDENTITY_ADMIN_URL: provider.url });
    provider.token = jsonResponse({ access_token: SECRETS.accessToken, expires_in: 3600 });
    provider.userinfo = jsonResponse({ sub: OPERATOR_ID, email: SECRETS.email });
    const reason = `${SECRETS.email} ${OPERATOR_ID} at ${provider.url}`;
    provider.identity = (request, res) =>
      request.path === '/admin/identities'
        ? jsonResponse({ error: { code: 500, reason } }, 500)(request, res)
        : jsonResponse(operatorIdentity())(request, res);
    await useEverything();
  });
  after(() => flow.close());

  /** Signs in, uses settings, identities and a proxy, provokes errors, and signs out. */
  async function useEverything(): Promise<void> {
    const jar = new CookieJar();
    const state = (await flow.begin(jar)).searchParams.get('state') ?? '';
    const login = jar.get('dashboard-login') ?? '';
    created.push(state, login, login.split('.')[0] ?? '');
    await flow.finish(jar, { code: SECRETS.code, state });
    const session = jar.get('dashboard-session') ?? '';
    created.push(session, session.split('.')[1] ?? '');
    const call = async (path: string, options: object = {}): Promise<Response> => {
      const response = await flow.dashboard.call(path, { session, ...options });
      if (response.status >= 400) errors.push(JSON.stringify([...response.headers]), await response.clone().text());
      return response;
    };
    const secret = { key: 'mail.password', value: SECRETS.value, encrypted: true };
    const stored = (await (await call('/api/settings', { json: secret })).json()) as { value: string };
    created.push(stored.value);
    await call('/api/settings', { json: { key: 'mail.host', value: SECRETS.plainValue } });
    await call('/api/settings', { json: { key: 'mail.host', value: SECRETS.plainValue, colour: SECRETS.value } });
    const headers = { 'content-type': 'application/json' };
    await call('/api/settings', { body: `{"value":"${SECRETS.value}`, headers });
    await call('/api/settings/mail.password?decrypt=true');
    await call('/api/encrypt', { json: { value: SECRETS.value } });
    await call(`/api/identities?page_token=${SECRETS.proxied}`);
    const identity = `/api/identity-admin/identities/${OPERATOR_ID}`;
    await call(`${identity}?q=${SECRETS.proxied}`, { method: 'PATCH', body: SECRETS.proxied });
    await call('/api/identity-admin/admin/identities');
    await call('/api/settings/%');
    await call('/api/auth/logout', { method: 'POST' });
    await call('/api/settings');
  }

  it('of a sign-in, a setting or a proxied request is in no log line, at any level', () => {
    const log = flow.dashboard.logged.join('');
    assert.match(log, /setting_decrypt/);
    assert.match(log, /"action":"login"/);
    for (const secret of [...Object.values(SECRETS), ...created]) {
      assert.ok(secret.length > 5);
      assert.ok(!log.includes(secret), `${secret.slice(0, 12)}… is in the log`);
    }
  });

  it('is in no error response, and neither are addresses, identifiers and stack frames', () => {
    const text = errors.join('\n');
    assert.ok(errors.length > 8);
    const { port } = new URL(flow.provider.url);
    const { email, value, proxied } = SECRETS;
    for (const word of [email, OPERATOR_ID, port, value, proxied, 'node_modules', '.ts:', 'knex'])
      assert.ok(!text.includes(word), `${word} is in an error response`);
  });
});

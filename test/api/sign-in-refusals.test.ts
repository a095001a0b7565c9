import assert from 'node:assert/strict';
import {
  activeOperator,
  cookieLine,
  type FakeProvider,
  json,
  OPERATOR_ID,
  type ProviderFlow,
  startProviderFlow,
} from '../support/fake-provider.ts';
import { CookieJar } from '../support/http-sign-in.ts';

describe('sign-in that is refused', () => {
  let flow: ProviderFlow;
  let provider: FakeProvider;
  let signIn: ProviderFlow['signIn'];

  before(async () => {
    flow = await startProviderFlow();
    ({ provider, signIn } = flow);
  });
  beforeEach(() => provider.reset());
  after(() => flow.dashboard.close());

  const refusals: [string, (fake: FakeProvider) => void, string][] = [
    ['a refused code', (fake) => (fake.token = json({ error: 'invalid_grant' }, 400)), 'provider_refused'],
    ['userinfo without sub', (fake) => (fake.userinfo = json({ email: 'a@b.c' })), 'provider_refused'],
    ['a provider that fails', (fake) => (fake.token = json({ error: 'server_error' }, 500)), 'provider_unreachable'],
    [
      'a role that is neither',
      (fake) => (fake.identity = json(activeOperator({ email: 'a@b.c', role: 'Admin' }))),
      'no_role',
    ],
    ['no role', (fake) => (fake.identity = json(activeOperator({ email: 'a@b.c' }))), 'no_role'],
    [
      'no e-mail address',
      (fake) => {
        fake.userinfo = json({ sub: OPERATOR_ID });
        fake.identity = json(activeOperator({ role: 'viewer' }));
      },
      'no_email',
    ],
    ['another schema', (fake) => (fake.identity = json({ ...activeOperator(), schema_id: 'customer' })), 'no_role'],
    ['an inactive identity', (fake) => (fake.identity = json({ ...activeOperator(), state: 'inactive' })), 'inactive'],
    ['an identity that is gone', (fake) => (fake.identity = json({ error: { code: 404 } }, 404)), 'inactive'],
    [
      'a store that answers for another identity',
      (fake) => (fake.identity = json({ ...activeOperator(), id: 'x' })),
      'provider_unreachable',
    ],
    ['a store that wants another key', (fake) => (fake.identity = json({ error: { code: 401 } }, 401)), 'store_key'],
  ];
  for (const [title, misbehave, reason] of refusals)
    it(`with ${title} ends without a session, on the page for ${reason}`, async () => {
      misbehave(provider);
      const done = await signIn();
      assert.equal(done.status, 302);
      assert.equal(done.headers.get('location'), `/sign-in-failed?reason=${reason}`);
      assert.equal(cookieLine(done, 'dashboard-session'), undefined);
    });

  it('with a store key that no key of ours opens ends on the page for store_key', async () => {
    const sessionJar = new CookieJar();
    await signIn(sessionJar);
    const stored = await flow.dashboard.call('/api/settings', {
      session: sessionJar.get('dashboard-session'),
      json: { key: 'upstream.identity-admin.api_key', value: 'key-of-the-store' },
    });
    assert.equal(stored.status, 201);
    await flow.dashboard.restart({
      ENCRYPTION_KEY: 'another-encryption-key-of-the-tests-0123456789',
      // Only then is the stored key one for the operators' store.
      IDENTITY_ADMIN_URL: provider.url,
    });
    const done = await signIn();
    assert.equal(done.headers.get('location'), '/sign-in-failed?reason=store_key');
    await flow.dashboard.restart();
    assert.equal((await signIn()).headers.get('location'), '/dashboard');
  });

  it('with a role in the traits alone ends without a session where roles are kept out of reach', async () => {
    await flow.dashboard.restart({ OPERATOR_ROLE_FROM: 'metadata_admin.role' });
    assert.equal((await signIn()).headers.get('location'), '/sign-in-failed?reason=no_role');
    provider.identity = json({ ...activeOperator({ email: 'a@b.c' }), metadata_admin: { role: 'admin' } });
    assert.equal((await signIn()).headers.get('location'), '/dashboard');
    await flow.dashboard.restart();
  });

  it('by silence ends without a session too: of the store, or of the provider', async () => {
    await flow.dashboard.restart({ PROXY_TIMEOUT_MS: '1000' });
    provider.identity = () => {};
    const done = await signIn();
    assert.equal(done.headers.get('location'), '/sign-in-failed?reason=provider_unreachable');
    assert.equal(cookieLine(done, 'dashboard-session'), undefined);
    provider.token = () => {};
    const silent = await signIn(new CookieJar(), { headers: { accept: 'application/json' } });
    assert.equal(silent.status, 504);
    assert.equal(((await silent.json()) as { error: string }).error, 'gateway_timeout');
    await flow.dashboard.restart();
  });
});

import assert from 'node:assert/strict';
import { activeOperator, type FakeProvider, json, OPERATOR_ID } from '../support/fake-provider.ts';
import { CookieJar } from '../support/http-sign-in.ts';
import { cookieLine, type ProviderFlow, startProviderFlow } from '../support/provider-flow.ts';

describe('sign-in that is refused', () => {
  let flow: ProviderFlow;
  let provider: FakeProvider;
  let begin: ProviderFlow['begin'];
  let finish: ProviderFlow['finish'];
  let signIn: ProviderFlow['signIn'];

  before(async () => {
    flow = await startProviderFlow();
    ({ provider, begin, finish, signIn } = flow);
  });
  beforeEach(() => provider.reset());
  after(() => flow.dashboard.close());

  const refusals: [string, (fake: FakeProvider) => void, string][] = [
    ['a refused code', (fake) => (fake.token = json({ error: 'invalid_grant' }, 400)), 'provider_refused'],
    [
      'a token answer that is no JSON',
      (fake) => (fake.token = (_r, res) => void res.end('<html>')),
      'provider_refused',
    ],
    ['expires_in 0', (fake) => (fake.token = json({ access_token: 't', expires_in: 0 })), 'provider_refused'],
    ['userinfo without sub', (fake) => (fake.userinfo = json({ email: 'a@b.c' })), 'provider_refused'],
    [
      'a refused token at userinfo',
      (fake) => (fake.userinfo = json({ error: 'request_unauthorized' }, 401)),
      'provider_refused',
    ],
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
    ['a store that fails', (fake) => (fake.identity = json({ error: { code: 500 } }, 500)), 'provider_unreachable'],
    [
      'a store that answers HTML 404',
      (fake) => (fake.identity = (_r, res) => void res.writeHead(404).end('not found')),
      'provider_unreachable',
    ],
  ];
  for (const [title, misbehave, reason] of refusals)
    it(`with ${title} ends without a session, on the page for ${reason}`, async () => {
      misbehave(provider);
      const done = await signIn();
      assert.equal(done.status, 302);
      assert.equal(done.headers.get('location'), `/sign-in-failed?reason=${reason}`);
      assert.equal(cookieLine(done, 'dashboard-session'), undefined);
    });

  it('that the operator cancels ends on the page for denied', async () => {
    const jar = new CookieJar();
    const state = (await begin(jar)).searchParams.get('state') ?? '';
    const done = await finish(jar, { error: 'access_denied', state });
    assert.equal(done.headers.get('location'), '/sign-in-failed?reason=denied');
    assert.match(cookieLine(done, 'oauth_state') ?? '', /1970/);
  });

  it('with a store key that no key of ours opens ends on the page for store_key', async () => {
    const sessionJar = new CookieJar();
    await signIn(sessionJar);
    const stored = await flow.dashboard.call('/api/settings', {
      session: sessionJar.get('dashboard-session'),
      json: { key: 'upstream.identity-admin.api_key', value: 'key-of-the-store' },
    });
    assert.equal(stored.status, 201);
    await flow.dashboard.restart({ ENCRYPTION_KEY: 'another-encryption-key-of-the-tests-0123456789' });
    const done = await signIn();
    assert.equal(done.headers.get('location'), '/sign-in-failed?reason=store_key');
    await flow.dashboard.restart();
    assert.equal((await signIn()).headers.get('location'), '/dashboard');
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

  it('answers a caller that is no browser in the error shape', async () => {
    const asJson = { headers: { accept: 'application/json' } };
    provider.token = json({ error: 'invalid_grant' }, 400);
    const refused = await signIn(new CookieJar(), asJson);
    assert.equal(refused.status, 401);
    assert.equal(((await refused.json()) as { error: string }).error, 'not_authenticated');
    await provider.close();
    const away = await signIn(new CookieJar(), asJson);
    assert.equal(away.status, 502);
    assert.equal(((await away.json()) as { error: string }).error, 'bad_gateway');
  });
});

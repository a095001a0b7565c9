import assert from 'node:assert/strict';
import { mock } from 'node:test';
import type { ActEvent } from '../../server/audit/event.ts';
import { refusalRecords } from '../../server/features/auth/sign-in.ts';
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

describe('a sign-in', () => {
  let flow: ProviderFlow;
  let provider: FakeProvider;
  let signIn: ProviderFlow['signIn'];

  before(async () => {
    flow = await startProviderFlow();
    ({ provider, signIn } = flow);
  });
  beforeEach(() => provider.reset());
  after(() => flow.close());

  const locationOf = (response: Response): string | null => response.headers.get('location');
  function assertRefused(response: Response, reason: string): void {
    assert.equal(response.status, 302);
    assert.equal(locationOf(response), `/sign-in-failed?reason=${reason}`);
    assert.equal(cookieLine(response, 'dashboard-session'), undefined);
  }
  const withoutEmail = (fake: FakeProvider): void => {
    fake.userinfo = json({ sub: OPERATOR_ID });
    fake.identity = json(activeOperator({ role: 'viewer' }));
  };
  const withIdentity =
    (body: object, status?: number) =>
    (fake: FakeProvider): void => {
      fake.identity = json(body, status);
    };

  const REFUSALS: [cause: string, arrange: (fake: FakeProvider) => void, reason: string][] = [
    ['a refused code', (fake) => (fake.token = json({ error: 'invalid_grant' }, 400)), 'provider_refused'],
    ['userinfo without sub', (fake) => (fake.userinfo = json({ email: 'a@b.c' })), 'provider_refused'],
    ['a failing provider', (fake) => (fake.token = json({ error: 'server_error' }, 500)), 'provider_unreachable'],
    ['an unknown role', withIdentity(activeOperator({ email: 'a@b.c', role: 'Admin' })), 'no_role'],
    ['no role', withIdentity(activeOperator({ email: 'a@b.c' })), 'no_role'],
    ['no e-mail address', withoutEmail, 'no_email'],
    ['another schema', withIdentity({ ...activeOperator(), schema_id: 'customer' }), 'no_role'],
    ['an inactive identity', withIdentity({ ...activeOperator(), state: 'inactive' }), 'inactive'],
    ['a deleted identity', withIdentity({ error: { code: 404 } }, 404), 'inactive'],
    ['a store that returns another identity', withIdentity({ ...activeOperator(), id: 'x' }), 'provider_unreachable'],
    ['a store that refuses our key', withIdentity({ error: { code: 401 } }, 401), 'store_key'],
  ];
  for (const [cause, arrange, reason] of REFUSALS)
    it(`with ${cause} ends without a session, on the page for ${reason}`, async () => {
      arrange(provider);
      assertRefused(await signIn(), reason);
    });

  it('ends on the page for store_key when the stored key of the identity store cannot be decrypted', async () => {
    const jar = new CookieJar();
    await signIn(jar);
    const stored = await flow.dashboard.call('/api/settings', {
      session: jar.get('dashboard-session'),
      json: { key: 'upstream.identity-admin.api_key', value: 'key-of-the-store' },
    });
    assert.equal(stored.status, 201);
    await flow.dashboard.restart({
      ENCRYPTION_KEY: 'another-encryption-key-of-the-tests-0123456789',
      // The stored key is used for the operators' store only if both have this address.
      IDENTITY_ADMIN_URL: provider.url,
    });
    assertRefused(await signIn(), 'store_key');
    await flow.dashboard.restart();
    assert.equal(locationOf(await signIn()), '/dashboard');
  });

  it('with a role in the traits alone ends without a session if OPERATOR_ROLE_FROM is metadata_admin.role', async () => {
    await flow.dashboard.restart({ OPERATOR_ROLE_FROM: 'metadata_admin.role' });
    assertRefused(await signIn(), 'no_role');
    provider.identity = json({ ...activeOperator({ email: 'a@b.c' }), metadata_admin: { role: 'admin' } });
    assert.equal(locationOf(await signIn()), '/dashboard');
    await flow.dashboard.restart();
  });

  it('ends without a session when the store or the provider does not respond', async () => {
    await flow.dashboard.restart({ PROXY_TIMEOUT_MS: '1000' });
    provider.identity = () => {};
    assertRefused(await signIn(), 'provider_unreachable');
    provider.token = () => {};
    const silent = await signIn(new CookieJar(), { headers: { accept: 'application/json' } });
    assert.equal(silent.status, 504);
    assert.equal(((await silent.json()) as { error: string }).error, 'gateway_timeout');
    await flow.dashboard.restart();
  });
});

describe('the records of refused sign-ins', () => {
  const NOW = Date.UTC(2026, 0, 1);
  beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }));
  afterEach(() => mock.timers.reset());

  type Entry = readonly [actor: string, details: ActEvent['details']];
  function recordsWith(record: () => Promise<void> = async () => {}) {
    const recorded: Entry[] = [];
    const queued: Entry[] = [];
    let now = NOW;
    const refusals = refusalRecords({
      audit: {
        record: async (event) => {
          const { actor, details } = event as ActEvent;
          await record();
          recorded.push([actor, details]);
        },
        queue: async ({ actor, details }) => void queued.push([actor, details]),
      },
      now: () => now,
    });
    const setSecond = (second: number): void => {
      now = NOW + second * 1000;
    };
    return { refusals, recorded, queued, setSecond };
  }
  const sum = (reason: string, count: number, from: string, to: string) => ({
    reason,
    count,
    from: `2026-01-01T00:00:${from}.000Z`,
    to: `2026-01-01T00:00:${to}.000Z`,
  });

  for (const [callers, identityId, actor] of [
    ['anonymous callers', undefined, 'anonymous'],
    ['an identity', 'customer', 'customer'],
  ] as const)
    it(`of ${callers} are one at first, one sum at the end of the minute, and single again after it`, async () => {
      const { refusals, recorded, queued, setSecond } = recordsWith();
      for (const second of [0, 10, 20, 30]) {
        setSecond(second);
        await refusals.record('no_role', identityId);
      }
      await refusals.record('inactive', identityId);
      await refusals.record('no_role', 'another');
      mock.timers.tick(59_999);
      assert.deepEqual(queued, []);
      mock.timers.tick(1);
      assert.deepEqual(queued, [[actor, sum('no_role', 3, '10', '30')]]);
      await refusals.record('no_role', identityId);
      const single = [actor, { reason: 'no_role' }];
      const others = [
        [actor, { reason: 'inactive' }],
        ['another', { reason: 'no_role' }],
      ];
      assert.deepEqual(recorded, [single, ...others, single]);
      refusals.flush();
      assert.equal(queued.length, 1);
    });

  it('are counted separately for a thousand identities a minute, and together for all others', async () => {
    const { refusals, recorded, queued } = recordsWith();
    await refusals.record('no_role', undefined);
    for (let number = 0; number < 1_500; number += 1) await refusals.record('no_role', `customer-${number}`);
    assert.equal(recorded.length, 1_001);
    await refusals.record('no_role', 'customer-0');
    refusals.flush();
    assert.deepEqual(queued, [
      ['anonymous', sum('no_role', 500, '00', '00')],
      ['customer-0', sum('no_role', 1, '00', '00')],
    ]);
    await refusals.record('no_role', 'customer-1499');
    assert.deepEqual(recorded.at(-1), ['customer-1499', { reason: 'no_role' }]);
  });

  it('include the first of a minute in the sum when its own record fails, which also fails the refusal', async () => {
    const { refusals, queued } = recordsWith(() => Promise.reject(new Error('away')));
    await assert.rejects(refusals.record('denied', undefined), { message: 'away' });
    await refusals.record('denied', undefined);
    refusals.flush();
    assert.deepEqual(queued, [['anonymous', sum('denied', 2, '00', '00')]]);
  });
});

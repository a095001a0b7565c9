import assert from 'node:assert/strict';
import type { AuditRecord } from '../../shared/audit.ts';
import { callAt } from '../support/dashboard.ts';
import { describeOnDatabases, type TestDatabases } from '../support/databases.ts';
import { cookieLine, json, type ProviderFlow, startProviderFlow } from '../support/fake-provider.ts';
import { CookieJar } from '../support/http-sign-in.ts';
import { type Replica, replicaOf } from '../support/replica.ts';

/** The cookies and state of a started sign-in: with them the callback can be sent any number of times. */
interface Pair {
  cookie: string;
  state: string;
}

const AGAIN = '/api/auth/login?attempt=2';

async function pairOf(flow: ProviderFlow): Promise<Pair> {
  const jar = new CookieJar();
  const state = (await flow.begin(jar)).searchParams.get('state') ?? '';
  return { cookie: jar.header(), state };
}

function come(url: string, { cookie, state }: Pair, query: Record<string, string> = { code: 'c' }): Promise<Response> {
  const headers = { cookie, accept: 'text/html' };
  return callAt(url, `/api/auth/callback?${new URLSearchParams({ ...query, state })}`, { headers });
}

function refusedAsMismatch(response: Response): void {
  assert.equal(response.status, 302);
  assert.equal(response.headers.get('location'), AGAIN);
  assert.equal(cookieLine(response, 'dashboard-session'), undefined);
}

describeOnDatabases('a login state', (databases: TestDatabases) => {
  async function onReplicas(
    test: (flow: ProviderFlow, replica: Replica, recorded: () => Promise<string[]>) => Promise<void>,
  ): Promise<void> {
    const url = await databases.create();
    const flow = await startProviderFlow({ env: { DATABASE_URL: url } });
    const replica = await replicaOf(flow.dashboard);
    const { knex } = databases.open(url);
    const recorded = async (): Promise<string[]> =>
      (await knex('audit_log').orderBy('sequence').select('action')).map(({ action }) => action);
    try {
      await test(flow, replica, recorded);
    } finally {
      await replica.close();
      await flow.close();
    }
  }

  for (const [how, token, location, action] of [
    ['was used for a sign-in', undefined, '/dashboard', 'login'],
    ['was refused', json({ error: 'invalid_grant' }, 400), '/sign-in-failed?reason=provider_refused', 'login_refused'],
  ] as const)
    it(`that ${how} is rejected on every replica, without another record`, () =>
      onReplicas(async (flow, replica, recorded) => {
        const pair = await pairOf(flow);
        if (token !== undefined) flow.provider.token = token;
        assert.equal((await come(flow.dashboard.url, pair)).headers.get('location'), location);
        flow.provider.reset();
        for (const url of [flow.dashboard.url, replica.url]) refusedAsMismatch(await come(url, pair));
        assert.ok(!flow.provider.seen.some(({ path }) => path === '/oauth2/token'));
        assert.deepEqual(await recorded(), [action]);
      }));

  it('that reaches two replicas at once signs in on only one of them', () =>
    onReplicas(async (flow, replica, recorded) => {
      const pair = await pairOf(flow);
      const waiting: (() => void)[] = [];
      flow.provider.token = (request, res) => {
        waiting.push(() => json({ access_token: 't', expires_in: 60 })(request, res));
        if (waiting.length === 2) for (const response of waiting) response();
      };
      const responses = await Promise.all([flow.dashboard.url, replica.url].map((url) => come(url, pair)));
      assert.deepEqual(responses.map((response) => response.headers.get('location')).sort(), [AGAIN, '/dashboard']);
      assert.equal(responses.filter((response) => cookieLine(response, 'dashboard-session') !== undefined).length, 1);
      assert.deepEqual(await recorded(), ['login']);
    }));
});

describe('callbacks that are sent again and again', () => {
  let flow: ProviderFlow;
  before(async () => {
    flow = await startProviderFlow();
  });
  beforeEach(() => flow.provider.reset());
  after(() => flow.close());

  const records = (): AuditRecord[] =>
    flow.dashboard.logged
      .map((line) => JSON.parse(line) as { audit?: AuditRecord })
      .flatMap(({ audit }) => (audit === undefined ? [] : [audit]));

  it('take no place from real sign-ins, and ask the provider nothing', async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held: string[] = [];
    flow.provider.token = (request, res) => {
      const { code } = Object.fromEntries(request.form) as { code: string };
      if (code !== 'stolen') return json({ access_token: 't', expires_in: 60 })(request, res);
      held.push(code);
      void released.then(() => json({ error: 'invalid_grant' }, 400)(request, res));
    };
    const pair = await pairOf(flow);
    const first = come(flow.dashboard.url, pair, { code: 'stolen' });
    const replays = Array.from({ length: 100 }, () => come(flow.dashboard.url, pair, { code: 'stolen' }));
    for (const replay of await Promise.all(replays)) refusedAsMismatch(replay);
    assert.equal(held.length, 1);
    for (const done of await Promise.all(Array.from({ length: 31 }, () => flow.signIn())))
      assert.equal(done.headers.get('location'), '/dashboard');
    release();
    await first;
  });

  it('that are refused are recorded once, and the rest of the minute in one record', async () => {
    // Closing the service also closes the current minute's record.
    await flow.dashboard.restart();
    const before = records().length;
    flow.provider.token = json({ error: 'invalid_grant' }, 400);
    await Promise.all(Array.from({ length: 20 }, () => flow.signIn()));
    const refusals = () =>
      records()
        .slice(before)
        .map(({ action, actor, details: { reason, count } }) => [action, actor, reason, count]);
    const once = ['login_refused', 'anonymous', 'provider_refused', undefined];
    assert.deepEqual(refusals(), [once]);
    await flow.dashboard.restart();
    assert.deepEqual(refusals(), [once, ['login_refused', 'anonymous', 'provider_refused', 19]]);
  });
});

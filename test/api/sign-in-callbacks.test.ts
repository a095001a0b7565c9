import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { mock } from 'node:test';
import type { ActEvent } from '../../server/audit/event.ts';
import { refusalRecords } from '../../server/features/auth/sign-in.ts';
import type { AuditRecord } from '../../shared/audit.ts';
import { type Replica, startReplica } from '../support/dashboard.ts';
import { describeOnDatabases, type TestDatabases } from '../support/databases.ts';
import { eventually } from '../support/eventually.ts';
import { jsonResponse, type ProviderFlow, setCookieOf, startProviderFlow } from '../support/fake-provider.ts';
import { CookieJar, callAt } from '../support/http-sign-in.ts';
import { ofSuite } from '../support/of-suite.ts';

/** The cookies and state of a started sign-in: with them the callback can be sent any number of times. */
interface StartedSignIn {
  cookie: string;
  state: string;
}

const NEXT_ATTEMPT = '/api/auth/login?attempt=2';
const TOKEN = jsonResponse({ access_token: 't', expires_in: 60 });

async function start(flow: ProviderFlow): Promise<StartedSignIn> {
  const jar = new CookieJar();
  const state = (await flow.begin(jar)).searchParams.get('state') ?? '';
  return { cookie: jar.header(), state };
}

function sendCallback(url: string, { cookie, state }: StartedSignIn, code = 'c'): Promise<Response> {
  const headers = { cookie, accept: 'text/html' };
  return callAt(url, `/api/auth/callback?${new URLSearchParams({ code, state })}`, { headers });
}

function assertMismatch(response: Response): void {
  assert.equal(response.status, 302);
  assert.equal(response.headers.get('location'), NEXT_ATTEMPT);
  assert.equal(setCookieOf(response, 'dashboard-session'), undefined);
}

describeOnDatabases('a login state', (databases: TestDatabases) => {
  async function onReplicas(
    test: (flow: ProviderFlow, replica: Replica, recordedActions: () => Promise<string[]>) => Promise<void>,
  ): Promise<void> {
    const url = await databases.create();
    const flow = await startProviderFlow({ env: { DATABASE_URL: url } });
    const replica = await startReplica(flow.dashboard);
    const { knex } = databases.open(url);
    const recordedActions = async (): Promise<string[]> =>
      (await knex('audit_log').orderBy('sequence').select('action')).map(({ action }) => action);
    try {
      await test(flow, replica, recordedActions);
    } finally {
      await replica.close();
      await flow.close();
    }
  }

  for (const [outcome, token, location, action] of [
    ['that led to a sign-in', TOKEN, '/dashboard', 'login'],
    [
      'that was refused',
      jsonResponse({ error: 'invalid_grant' }, 400),
      '/sign-in-failed?reason=provider_refused',
      'login_refused',
    ],
  ] as const)
    it(`${outcome} is rejected by every replica when it is sent again, without another record`, () =>
      onReplicas(async (flow, replica, recordedActions) => {
        const started = await start(flow);
        flow.provider.token = token;
        assert.equal((await sendCallback(flow.dashboard.url, started)).headers.get('location'), location);
        flow.provider.reset();
        for (const url of [flow.dashboard.url, replica.url]) assertMismatch(await sendCallback(url, started));
        assert.ok(!flow.provider.requests.some(({ path }) => path === '/oauth2/token'));
        assert.deepEqual(await recordedActions(), [action]);
      }));

  it('is not used up by speculative requests, which are refused and change neither cookies nor records', () =>
    onReplicas(async ({ begin, dashboard }, _replica, recordedActions) => {
      const jar = new CookieJar();
      const callback = `/api/auth/callback?code=c&state=${(await begin(jar)).searchParams.get('state')}`;
      jar.set('dashboard-session', 'stale');
      const send = (path: string, headers: Record<string, string>, method = 'GET'): Promise<Response> =>
        callAt(dashboard.url, path, { method, headers: { cookie: jar.header(), ...headers } });
      const ahead = ['sec-purpose=x, PreFetch ;a', 'purpose=prefetch', 'x-moz=prefetch', 'x-purpose=preview'];
      for (const [name = '', value = ''] of ahead.map((line) => line.split('=')))
        for (const path of [callback, '/api/auth/login'])
          for (const method of ['GET', 'HEAD']) {
            const { status, headers: got } = await send(path, { [name]: value }, method);
            assert.deepEqual([status, got.get('cache-control'), got.getSetCookie()], [503, 'no-store', []], name);
          }
      const done = await send(callback, { 'sec-purpose': 'x;prefetch', purpose: 'no-prefetch', 'x-purpose': 'x' });
      assert.deepEqual([done.headers.get('location'), await recordedActions()], ['/dashboard', ['login']]);
    }));

  it('that reaches two replicas at once leads to a sign-in on only one of them', () =>
    onReplicas(async (flow, replica, recordedActions) => {
      const started = await start(flow);
      const waiting: (() => void)[] = [];
      flow.provider.token = (request, res) => {
        waiting.push(() => TOKEN(request, res));
        if (waiting.length === 2) for (const respond of waiting) respond();
      };
      const responses = await Promise.all([flow.dashboard.url, replica.url].map((url) => sendCallback(url, started)));
      const locations = responses.map((response) => response.headers.get('location'));
      assert.deepEqual(locations.sort(), [NEXT_ATTEMPT, '/dashboard']);
      assert.equal(responses.filter((response) => setCookieOf(response, 'dashboard-session') !== undefined).length, 1);
      assert.deepEqual(await recordedActions(), ['login']);
    }));
});

describe('callbacks that are sent many times', () => {
  const flow = ofSuite(startProviderFlow);
  beforeEach(() => flow.provider.reset());

  const records = (): AuditRecord[] =>
    flow.dashboard.logged
      .map((line) => JSON.parse(line) as { audit?: AuditRecord })
      .flatMap(({ audit }) => audit ?? []);

  it('with one state take no slot from other sign-ins, and reach the provider once', async () => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let exchanges = 0;
    flow.provider.token = (request, res) => {
      if (request.form.get('code') !== 'stolen') return TOKEN(request, res);
      exchanges += 1;
      void released.then(() => jsonResponse({ error: 'invalid_grant' }, 400)(request, res));
    };
    const started = await start(flow);
    const first = sendCallback(flow.dashboard.url, started, 'stolen');
    const replays = Array.from({ length: 100 }, () => sendCallback(flow.dashboard.url, started, 'stolen'));
    for (const replay of await Promise.all(replays)) assertMismatch(replay);
    assert.equal(exchanges, 1);
    for (const done of await Promise.all(Array.from({ length: 31 }, () => flow.signIn())))
      assert.equal(done.headers.get('location'), '/dashboard');
    release();
    await first;
  });

  it('leave one record of their refusal, and a second one that sums up the rest of the minute', async () => {
    // Closing the service also writes the sum of the current minute.
    await flow.dashboard.restart();
    const before = records().length;
    flow.provider.token = jsonResponse({ error: 'invalid_grant' }, 400);
    await Promise.all(Array.from({ length: 20 }, () => flow.signIn()));
    const refusals = () =>
      records()
        .slice(before)
        .map(({ action, actor, details: { reason, count } }) => [action, actor, reason, count]);
    const single = ['login_refused', 'anonymous', 'provider_refused', undefined];
    assert.deepEqual(refusals(), [single]);
    await flow.dashboard.restart();
    assert.deepEqual(refusals(), [single, ['login_refused', 'anonymous', 'provider_refused', 19]]);
  });
});

describe('callbacks that wait for a slow provider', () => {
  const SLOTS = 32;
  const QUEUE = 512;
  /** A busy machine needs seconds for 600 connections. */
  const PATIENCE_MS = 50_000;
  /** One address with many connections, and others with one. */
  const GREEDY = '127.0.0.2';
  const OTHERS = Array.from({ length: 6 }, (_, index) => `127.0.0.${index + 3}`);

  let flow: ProviderFlow;
  /** Each lets the provider respond to one `slow` code. */
  let waiting: (() => void)[];
  /** The number of callbacks with each code that have reached the service. */
  let arrived: Record<string, number>;
  let requests: ClientRequest[];

  function countArrival(message: unknown): void {
    const { request } = message as { request: IncomingMessage };
    const code = new URL(request.url ?? '', 'http://service').searchParams.get('code');
    if (code !== null) arrived[code] = (arrived[code] ?? 0) + 1;
  }

  before(async () => {
    flow = await startProviderFlow({ env: { PROXY_TIMEOUT_MS: '600000' } });
    [waiting, arrived, requests] = [[], {}, []];
    flow.provider.token = (request, res) => {
      if (request.form.get('code') === 'slow') waiting.push(() => TOKEN(request, res));
      else TOKEN(request, res);
    };
    subscribe('http.server.request.start', countArrival);
  });
  after(async () => {
    unsubscribe('http.server.request.start', countArrival);
    for (const request of requests) request.destroy();
    for (const respond of waiting) respond();
    await flow.close();
  });

  function sendFrom(localAddress: string, code: string, { cookie, state }: StartedSignIn): Promise<IncomingMessage> {
    const { port } = new URL(flow.dashboard.url);
    const path = `/api/auth/callback?${new URLSearchParams({ code, state })}`;
    const headers = { Host: 'localhost', Accept: 'text/html', Cookie: cookie };
    const request = get({ host: '127.0.0.1', port, localAddress, path, agent: false, headers });
    requests.push(request);
    return new Promise((resolve, reject) => {
      request.once('error', reject).once('response', (res) => resolve(res.resume()));
    });
  }
  const startMany = (count: number): Promise<StartedSignIn[]> =>
    Promise.all(Array.from({ length: count }, () => start(flow)));

  it('on 600 connections of one address let other addresses sign in as soon as one slot is free', async () => {
    const others = await startMany(OTHERS.length);
    const [last = await start(flow), ...first] = await startMany(SLOTS + 1);
    let refused = 0;
    for (let index = 0; index < 600; index += 1)
      sendFrom(GREEDY, 'slow', first[index] ?? last).then(
        ({ statusCode }) => {
          if (statusCode === 503) refused += 1;
        },
        () => {},
      );
    await eventually(() => [arrived['slow'], waiting.length], [600, SLOTS], undefined, PATIENCE_MS);
    // Now the queue is full. A refused caller does not lose its cookies, and can use them later.
    await eventually(() => refused >= 600 - SLOTS - QUEUE, true, undefined, PATIENCE_MS);
    const { statusCode, headers } = await sendFrom(GREEDY, 'refused', others[0] ?? assert.fail());
    assert.deepEqual([statusCode, headers['retry-after'], headers['set-cookie']], [503, '5', undefined]);
    const responses = others.map((started, index) => sendFrom(OTHERS[index] ?? '', 'quick', started));
    await eventually(() => arrived['quick'], OTHERS.length);
    waiting.shift()?.();
    for (const response of responses) assert.equal((await response).headers.location, '/dashboard');
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
    it(`of ${callers} are one for the first in a minute, and a sum of the others at the end of that minute`, async () => {
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

  it('are separate for a thousand identities a minute, and summed up as anonymous for all others', async () => {
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

  it('include the first refusal of a minute in the sum if its own record fails, and that error is passed on', async () => {
    const { refusals, queued } = recordsWith(() => Promise.reject(new Error('away')));
    await assert.rejects(refusals.record('denied', undefined), { message: 'away' });
    await refusals.record('denied', undefined);
    refusals.flush();
    assert.deepEqual(queued, [['anonymous', sum('denied', 2, '00', '00')]]);
  });
});

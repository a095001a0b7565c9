import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import type { AuditRecord } from '../../shared/audit.ts';
import { callAt } from '../support/dashboard.ts';
import { describeOnDatabases, type TestDatabases } from '../support/databases.ts';
import { until } from '../support/eventually.ts';
import { cookieLine, json, type ProviderFlow, startProviderFlow } from '../support/fake-provider.ts';
import { CookieJar } from '../support/http-sign-in.ts';
import { type Replica, replicaOf } from '../support/replica.ts';

/** The cookies and state of a started sign-in: with them the callback can be sent any number of times. */
interface StartedSignIn {
  cookie: string;
  state: string;
}

const NEXT_ATTEMPT = '/api/auth/login?attempt=2';
const TOKEN = json({ access_token: 't', expires_in: 60 });

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
  assert.equal(cookieLine(response, 'dashboard-session'), undefined);
}

describeOnDatabases('a login state', (databases: TestDatabases) => {
  async function onReplicas(
    test: (flow: ProviderFlow, replica: Replica, recordedActions: () => Promise<string[]>) => Promise<void>,
  ): Promise<void> {
    const url = await databases.create();
    const flow = await startProviderFlow({ env: { DATABASE_URL: url } });
    const replica = await replicaOf(flow.dashboard);
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
      json({ error: 'invalid_grant' }, 400),
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
        assert.ok(!flow.provider.seen.some(({ path }) => path === '/oauth2/token'));
        assert.deepEqual(await recordedActions(), [action]);
      }));

  it('that reaches two replicas at once signs in on only one of them', () =>
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
      assert.equal(responses.filter((response) => cookieLine(response, 'dashboard-session') !== undefined).length, 1);
      assert.deepEqual(await recordedActions(), ['login']);
    }));
});

describe('callbacks that are sent many times', () => {
  let flow: ProviderFlow;
  before(async () => {
    flow = await startProviderFlow();
  });
  beforeEach(() => flow.provider.reset());
  after(() => flow.close());

  const records = (): AuditRecord[] =>
    flow.dashboard.logged
      .map((line) => JSON.parse(line) as { audit?: AuditRecord })
      .flatMap(({ audit }) => audit ?? []);

  it('with one state take no slot from other sign-ins, and reach the provider once', async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    let exchanges = 0;
    flow.provider.token = (request, res) => {
      if (request.form.get('code') !== 'stolen') return TOKEN(request, res);
      exchanges += 1;
      void released.then(() => json({ error: 'invalid_grant' }, 400)(request, res));
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

  it('and refused leave one record, and a second one that sums up the rest of the minute', async () => {
    // Closing the service also closes the current minute's record.
    await flow.dashboard.restart();
    const before = records().length;
    flow.provider.token = json({ error: 'invalid_grant' }, 400);
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

describe('callbacks while the provider is slow', () => {
  const SLOTS = 32;
  const QUEUE = 512;
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
    await until(() => arrived['slow'] === 600 && waiting.length === SLOTS);
    // By then the queue is full. A refused caller keeps the cookies, and can use them later.
    await until(() => refused >= 600 - SLOTS - QUEUE);
    const { statusCode, headers } = await sendFrom(GREEDY, 'refused', others[0] ?? assert.fail());
    assert.deepEqual([statusCode, headers['retry-after'], headers['set-cookie']], [503, '5', undefined]);
    const responses = others.map((started, index) => sendFrom(OTHERS[index] ?? '', 'quick', started));
    await until(() => arrived['quick'] === OTHERS.length);
    waiting.shift()?.();
    for (const response of responses) assert.equal((await response).headers.location, '/dashboard');
  });
});

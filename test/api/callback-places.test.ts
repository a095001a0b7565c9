import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClientRequest, get, type IncomingMessage, type ServerResponse } from 'node:http';
import { until } from '../support/becomes.ts';
import { json, type ProviderFlow, startProviderFlow } from '../support/fake-provider.ts';
import { CookieJar } from '../support/http-sign-in.ts';

const PLACES = 32;
const QUEUE = 512;
/** One address that holds many connections. */
const GREEDY = '127.0.0.2';
const OTHERS = Array.from({ length: 6 }, (_, index) => `127.0.0.${index + 3}`);

interface Pair {
  cookie: string;
  state: string;
}
interface Call {
  request: ClientRequest;
  /** The response's status, and where it redirects the browser. */
  answer: Promise<{ status: number; location: string | undefined; headers: IncomingMessage['headers'] }>;
}

describe('callbacks while the provider answers slowly', () => {
  let flow: ProviderFlow;
  /** Releases the provider's answer to one of the greedy address' codes. */
  let held: (() => void)[];
  /** How many callbacks with each code have reached the service. */
  let came: Record<string, number>;
  let left: number;
  let calls: Call[];

  function noteArrival(message: unknown): void {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    const code = new URL(request.url ?? '', 'http://service').searchParams.get('code');
    if (code === null) return;
    came[code] = (came[code] ?? 0) + 1;
    response.once('close', () => {
      if (!response.writableFinished) left += 1;
    });
  }

  beforeEach(async () => {
    flow = await startProviderFlow({ env: { PROXY_TIMEOUT_MS: '600000' } });
    [held, came, left, calls] = [[], {}, 0, []];
    flow.provider.token = (request, res) => {
      const answer = () => json({ access_token: 't', expires_in: 60 })(request, res);
      if (request.form.get('code') === 'slow') held.push(answer);
      else answer();
    };
    subscribe('http.server.request.start', noteArrival);
  });
  afterEach(async () => {
    unsubscribe('http.server.request.start', noteArrival);
    for (const { request } of calls) request.destroy();
    for (const answer of held) answer();
    await flow.close();
  });

  async function pair(): Promise<Pair> {
    const jar = new CookieJar();
    const state = (await flow.begin(jar)).searchParams.get('state') ?? '';
    return { cookie: jar.header(), state };
  }
  function come(localAddress: string, code: string, { cookie, state }: Pair): Call {
    const { port } = new URL(flow.dashboard.url);
    const path = `/api/auth/callback?${new URLSearchParams({ code, state })}`;
    const headers = { Host: 'localhost', Accept: 'text/html', Cookie: cookie };
    const request = get({ host: '127.0.0.1', port, localAddress, path, agent: false, headers });
    const answer = new Promise<Awaited<Call['answer']>>((resolve, reject) => {
      request.once('error', reject).once('response', (res) => {
        res.resume();
        resolve({ status: res.statusCode ?? 0, location: res.headers.location, headers: res.headers });
      });
    });
    answer.catch(() => {});
    const call = { request, answer };
    calls.push(call);
    return call;
  }
  const pairs = (count: number): Promise<Pair[]> => Promise.all(Array.from({ length: count }, pair));
  /** Fills all places, and waits for more with one state. @returns how many were refused so far */
  async function greedy(connections: number): Promise<{ refused: number }> {
    const [waiting = await pair(), ...first] = await pairs(PLACES + 1);
    const seen = { refused: 0 };
    for (let index = 0; index < connections; index += 1)
      come(GREEDY, 'slow', first[index] ?? waiting).answer.then(
        ({ status }) => {
          if (status === 503) seen.refused += 1;
        },
        () => {},
      );
    await until(() => came['slow'] === connections && held.length === PLACES);
    return seen;
  }
  const release = (): void => held.shift()?.();

  it('of 600 connections of one address let others sign in as soon as one place is free', async () => {
    const theirs = await pairs(OTHERS.length);
    const seen = await greedy(600);
    // By then the queue is full. Who is refused keeps the cookies, and can use them later.
    await until(() => seen.refused >= 600 - PLACES - QUEUE);
    const { status, headers } = await come(GREEDY, 'refused', theirs[0] ?? assert.fail()).answer;
    assert.deepEqual([status, headers['retry-after'], headers['set-cookie']], [503, '5', undefined]);
    const others = theirs.map((one, index) => come(OTHERS[index] ?? '', 'quick', one));
    await until(() => came['quick'] === OTHERS.length);
    release();
    for (const { answer } of others) assert.equal((await answer).location, '/dashboard');
  });

  it('whose callers leave give up their place in the queue, and their states remain valid', async () => {
    const one = await pair();
    await greedy(PLACES + 1);
    const { request } = come('127.0.0.3', 'quick', one);
    await until(() => came['quick'] === 1);
    request.destroy();
    await until(() => left === 1);
    release();
    await until(() => held.length === PLACES);
    assert.ok(!flow.provider.seen.some(({ form }) => form.get('code') === 'quick'), 'nobody is there to be let in');
    const { answer } = come('127.0.0.3', 'quick', one);
    await until(() => came['quick'] === 2);
    release();
    assert.equal((await answer).location, '/dashboard');
  });
});

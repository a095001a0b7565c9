import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { type ClientRequest, get, type IncomingMessage } from 'node:http';
import { until } from '../support/eventually.ts';
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

describe('callbacks while the provider answers slowly', () => {
  let flow: ProviderFlow;
  /** Releases the provider's answer to one of the greedy address' codes. */
  let held: (() => void)[];
  /** How many callbacks with each code have reached the service. */
  let came: Record<string, number>;
  let calls: ClientRequest[];

  function noteArrival(message: unknown): void {
    const { request } = message as { request: IncomingMessage };
    const code = new URL(request.url ?? '', 'http://service').searchParams.get('code');
    if (code !== null) came[code] = (came[code] ?? 0) + 1;
  }

  beforeEach(async () => {
    flow = await startProviderFlow({ env: { PROXY_TIMEOUT_MS: '600000' } });
    [held, came, calls] = [[], {}, []];
    flow.provider.token = (request, res) => {
      const response = () => json({ access_token: 't', expires_in: 60 })(request, res);
      if (request.form.get('code') === 'slow') held.push(response);
      else response();
    };
    subscribe('http.server.request.start', noteArrival);
  });
  afterEach(async () => {
    unsubscribe('http.server.request.start', noteArrival);
    for (const call of calls) call.destroy();
    for (const response of held) response();
    await flow.close();
  });

  async function pair(): Promise<Pair> {
    const jar = new CookieJar();
    const state = (await flow.begin(jar)).searchParams.get('state') ?? '';
    return { cookie: jar.header(), state };
  }
  function come(localAddress: string, code: string, { cookie, state }: Pair): Promise<IncomingMessage> {
    const { port } = new URL(flow.dashboard.url);
    const path = `/api/auth/callback?${new URLSearchParams({ code, state })}`;
    const headers = { Host: 'localhost', Accept: 'text/html', Cookie: cookie };
    const request = get({ host: '127.0.0.1', port, localAddress, path, agent: false, headers });
    calls.push(request);
    return new Promise((resolve, reject) => {
      request.once('error', reject).once('response', (res) => resolve(res.resume()));
    });
  }
  const pairs = (count: number): Promise<Pair[]> => Promise.all(Array.from({ length: count }, pair));
  it('of 600 connections of one address let others sign in as soon as one place is free', async () => {
    const theirs = await pairs(OTHERS.length);
    const [waiting = await pair(), ...first] = await pairs(PLACES + 1);
    let refused = 0;
    for (let index = 0; index < 600; index += 1)
      come(GREEDY, 'slow', first[index] ?? waiting).then(
        ({ statusCode }) => {
          if (statusCode === 503) refused += 1;
        },
        () => {},
      );
    await until(() => came['slow'] === 600 && held.length === PLACES);
    // By then the queue is full. Who is refused keeps the cookies, and can use them later.
    await until(() => refused >= 600 - PLACES - QUEUE);
    const { statusCode, headers } = await come(GREEDY, 'refused', theirs[0] ?? assert.fail());
    assert.deepEqual([statusCode, headers['retry-after'], headers['set-cookie']], [503, '5', undefined]);
    const others = theirs.map((one, index) => come(OTHERS[index] ?? '', 'quick', one));
    await until(() => came['quick'] === OTHERS.length);
    held.shift()?.();
    for (const other of others) assert.equal((await other).headers.location, '/dashboard');
  });
});

import assert from 'node:assert/strict';
import { createServer, type RequestListener } from 'node:http';
import { type QueryClient, QueryObserver } from '@tanstack/react-query';
import type { WithClock } from '../../client/api/polling.ts';
import { ConnectionError, isTransient, RequestError, request, send } from '../../client/api/request.ts';
import { serviceStateQuery } from '../../client/api/services.ts';
import { createQueryClient, refetchOnceUp } from '../../client/app/query-client.ts';
import { hasSessionEnded, sessionContinues } from '../../client/lib/sign-in.ts';
import type { ServiceState, ServiceStatus } from '../../shared/services.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { ofSuite } from '../support/of-suite.ts';

describe('the refresh after a change', () => {
  let fetches: { response: (text: string) => void; signal: AbortSignal }[];
  const query = (key: string) => ({
    queryKey: [key],
    queryFn: ({ signal }: { signal: AbortSignal }) =>
      new Promise<string>((response) => {
        fetches.push({ response, signal });
      }),
  });
  beforeEach(() => {
    fetches = [];
  });

  it('restarts a first load that is in flight, because its response would predate the change', async () => {
    const client = createQueryClient();
    const observer = new QueryObserver(client, query('displayed'));
    const values: (string | undefined)[] = [];
    const stop = observer.subscribe(({ data }) => values.push(data));
    const changed = client.invalidateQueries({ queryKey: ['displayed'] });
    assert.equal(fetches.length, 2);
    assert.equal(fetches[0]?.signal.aborted, true);
    fetches[1]?.response('after');
    fetches[0]?.response('before');
    await changed;
    assert.equal(observer.getCurrentResult().data, 'after');
    assert.ok(!values.includes('before'));
    stop();
    client.clear();
  });

  it('reloads data that was prefetched before the change once it is displayed', async () => {
    const client = createQueryClient();
    const ahead = client.prefetchQuery(query('ahead'));
    await client.invalidateQueries({ queryKey: ['ahead'] });
    fetches[0]?.response('before');
    await ahead;
    const observer = new QueryObserver(client, query('ahead'));
    const stop = observer.subscribe(() => {});
    assert.equal(fetches.length, 2);
    fetches[1]?.response('after');
    assert.equal((await observer.fetchOptimistic(client.defaultQueryOptions(query('ahead')))).data, 'after');
    stop();
    client.clear();
  });
});

const SERVICE = 'identity-admin';
const failure = (status: number): RequestError =>
  new RequestError({ status, code: 'bad_gateway', message: 'Away.', service: SERVICE });

describe('queries that failed because a service is down', () => {
  let client: QueryClient;
  let waits: number[];
  /** The result of each check of the service; the last one is repeated. */
  let states: (ServiceStatus | Error)[];
  let checks: number;
  let fetchCount: number;
  let fetchRows: () => string;
  let unsubscribe: () => void;

  const wait = async (milliseconds: number): Promise<void> => void waits.push(milliseconds / 1_000);
  const check = async () => {
    const state = states[Math.min(checks, states.length - 1)] ?? assert.fail('an unexpected check');
    checks += 1;
    if (state instanceof Error) throw state;
    return (
      client.setQueryData(serviceStateQuery(SERVICE).queryKey, { status: state } as WithClock<ServiceState>) ??
      assert.fail()
    );
  };
  const watch = (): Promise<void> => refetchOnceUp(client, SERVICE, wait, check);
  const failing = (): never => {
    throw failure(502);
  };

  beforeEach(async () => {
    client = createQueryClient();
    client.setDefaultOptions({ queries: { ...client.getDefaultOptions().queries, retry: false } });
    [waits, states, checks, fetchCount, fetchRows] = [[], [], 0, 0, failing];
    const observer = new QueryObserver(client, {
      queryKey: ['list'],
      queryFn: async () => {
        fetchCount += 1;
        return fetchRows();
      },
    });
    unsubscribe = observer.subscribe(() => {});
    await client.refetchQueries({ queryKey: ['list'] });
    fetchCount = 0;
  });
  afterEach(() => {
    unsubscribe();
    client.clear();
  });

  it('are refetched once the service, which is polled at increasing intervals, is up', async () => {
    states = ['down', 'down', new Error('no connection'), 'degraded', 'down', 'up'];
    fetchRows = () => 'rows';
    await watch();
    assert.deepEqual(waits, [5, 10, 20, 40, 60, 60, 60]);
    assert.deepEqual([checks, fetchCount, client.getQueryData(['list'])], [6, 1, 'rows']);
  });

  it('are removed from the cache if not displayed, unlike queries that failed for another reason', async () => {
    const ahead = (key: string, fails: () => never) =>
      client.prefetchQuery({ queryKey: [key], queryFn: fails, staleTime: Number.POSITIVE_INFINITY });
    await ahead('not shown', failing);
    await ahead('of another', () => {
      throw new Error('Another.');
    });
    states = ['down', 'up'];
    fetchRows = () => 'rows';
    await watch();
    assert.equal(client.getQueryState(['not shown']), undefined);
    assert.equal(client.getQueryState(['of another'])?.status, 'error');
    assert.equal(fetchCount, 1);
  });

  it('are refetched only if a check or another query has found the service down or degraded', async () => {
    states = ['up'];
    await watch();
    assert.deepEqual([checks, fetchCount], [1, 0]);
    client.setQueryData(serviceStateQuery(SERVICE).queryKey, { status: 'degraded' } as WithClock<ServiceState>);
    await watch();
    assert.deepEqual([checks, fetchCount], [3, 1], 'another query has found the service degraded');
  });

  it('are not refetched once the session has ended', async () => {
    states = [new RequestError({ status: 401, code: 'not_authenticated', message: 'Ended.' })];
    await watch();
    assert.deepEqual([checks, fetchCount], [1, 0]);
  });
});

describe("the app's requests", () => {
  let response: RequestListener;
  let received: { method?: string; type?: string; body: string };

  const http = createServer(async (req, res) => {
    const body = Buffer.concat(await req.toArray()).toString();
    received = { method: req.method, type: req.headers['content-type'], body };
    response(req, res);
  });
  const server = ofSuite(() => listenOnLoopback(http));
  beforeEach(sessionContinues);

  const respondWith = (status: number, body: string, type = 'application/json'): void => {
    response = (_, res) => res.writeHead(status, { 'content-type': type, 'x-request-id': 'r-1' }).end(body);
  };
  const failure = async (work: Promise<unknown>): Promise<RequestError> => {
    const error = await work.then(
      () => undefined,
      (caught: unknown) => caught,
    );
    assert.ok(error instanceof RequestError, String(error));
    return error;
  };

  it('send the body as JSON, and resolve with the parsed response', async () => {
    respondWith(200, '{"a":1}');
    assert.deepEqual(await request(`${server.url}/x`, { method: 'POST', body: { b: 2 } }), { a: 1 });
    assert.deepEqual(received, { method: 'POST', type: 'application/json', body: '{"b":2}' });
  });

  it('reject with the code, message, hint and request ID of an error response', async () => {
    respondWith(403, '{"error":"forbidden","message":"Admin access required.","hint":"Ask."}');
    const { status, code, message, hint, requestId } = await failure(request(`${server.url}/x`));
    assert.deepEqual(
      { status, code, message, hint, requestId },
      { status: 403, code: 'forbidden', message: 'Admin access required.', hint: 'Ask.', requestId: 'r-1' },
    );
    assert.equal(hasSessionEnded(), false);
  });

  it('report the end of the session for the error not_authenticated, but not for other responses with status 401', async () => {
    respondWith(401, '{"error":"upstream_error","message":"No."}');
    await failure(send(`${server.url}/x`));
    assert.equal(hasSessionEnded(), false);
    respondWith(401, '{"error":"Not authenticated"}');
    assert.equal((await failure(send(`${server.url}/x`))).message, 'Not authenticated');
    assert.equal(hasSessionEnded(), false);
    respondWith(401, '{"error":"not_authenticated","message":"Authentication required."}');
    await failure(send(`${server.url}/x`));
    assert.equal(hasSessionEnded(), true);
  });

  it('reject with a transient ConnectionError if the connection closes without a response', async () => {
    response = (_, res) => res.destroy();
    const error = await send(`${server.url}/x`).catch((caught: unknown) => caught);
    assert.ok(error instanceof ConnectionError);
    assert.equal(isTransient(error), true);
  });
});
